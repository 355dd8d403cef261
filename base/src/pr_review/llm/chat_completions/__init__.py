"""The chat-completions wire format, as OpenAI defined it and many servers speak it.

https://platform.openai.com/docs/api-reference/chat
"""
