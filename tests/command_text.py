"""Text in which the runner could read a workflow command."""

from hypothesis import strategies as st

TEXT = st.lists(
    st.sampled_from(
        [
            ":",
            "::",
            "##[",
            "#",
            "[",
            "%",
            "%0A",
            "\n",
            "\r",
            " ",
            "\t",
            ",",
            "\u00a0",
            "\u3000",
            "\x1b",
            "\x85",
            "error",
            "]",
        ]
    )
    | st.text(max_size=2)
).map("".join)
