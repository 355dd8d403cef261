from pr_review.tools.toolsets import canonical_tools


def test_the_canonical_set_is_the_four_tools_in_the_order_of_the_protocol(tree_of, searcher_of, diff_of):
    tools = canonical_tools(tree_of({}), searcher_of([]), diff_of())
    assert [tool.spec.name for tool in tools] == [
        "list_repository_files",
        "read_repository_file",
        "search_repository",
        "inspect_git_diff",
    ]
