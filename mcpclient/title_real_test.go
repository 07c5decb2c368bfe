package mcpclient_test

import (
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

// realTools are tools as public servers name them.
var realTools = []struct{ server, name, want string }{
	{"filesystem", "read_text_file", "Read Text File"},
	{"filesystem", "list_directory_with_sizes", "List Directory With Sizes"},
	{"memory", "add_observations", "Add Observations"},
	{"sequential-thinking", "sequentialthinking", "Sequentialthinking"},
	{"time", "convert_time", "Convert Time"},
	{"fetch", "fetch", "Fetch"},
	{"git", "git_diff_staged", "Git Diff Staged"},
	{"github", "create_or_update_file", "Create Or Update File"},
	{"github", "get_code_scanning_alert", "Get Code Scanning Alert"},
	{"github", "list_dependabot_alerts", "List Dependabot Alerts"},
	{"github", "download_workflow_run_artifact", "Download Workflow Run Artifact"},
	{"github", "search_repositories", "Search Repositories"},
	{"playwright", "browser_click", "Browser Click"},
	{"playwright", "browser_take_screenshot", "Browser Take Screenshot"},
	{"playwright", "browser_console_messages", "Browser Console Messages"},
	{"playwright", "browser_pdf_save", "Browser PDF Save"},
	{"chrome-devtools", "performance_start_trace", "Performance Start Trace"},
	{"chrome-devtools", "list_network_requests", "List Network Requests"},
	{"browser-use", "retry_with_browser_use_agent", "Retry With Browser Use Agent"},
	{"browser-use", "browser_extract_content", "Browser Extract Content"},
	{"postgres", "analyze_db_health", "Analyze DB Health"},
	{"postgres", "explain_query", "Explain Query"},
	{"postgres", "execute_sql", "Execute SQL"},
	{"mongodb", "atlas-list-clusters", "Atlas List Clusters"},
	{"mongodb", "atlas-inspect-cluster", "Atlas Inspect Cluster"},
	{"slack", "conversations_search_messages", "Conversations Search Messages"},
	{"slack", "usergroups_users_update", "Usergroups Users Update"},
	{"slack", "usergroups_me", "Usergroups Me"},
	{"notion", "API-post-search", "API Post Search"},
	{"notion", "API-get-block-children", "API Get Block Children"},
	{"notion", "notion-create-pages", "Notion Create Pages"},
	{"atlassian", "getVisibleJiraProjects", "Get Visible Jira Projects"},
	{"atlassian", "searchJiraIssuesUsingJql", "Search Jira Issues Using JQL"},
	{"atlassian", "atlassianUserInfo", "Atlassian User Info"},
	{"atlassian", "getJiraProjectIssueTypesMetadata", "Get Jira Project Issue Types Metadata"},
	{"mcp-atlassian", "jira_transition_issue", "Jira Transition Issue"},
	{"mcp-atlassian", "confluence_get_page_children", "Confluence Get Page Children"},
	{"aws", "aws___search_documentation", "AWS Search Documentation"},
	{"aws", "aws___call_aws", "AWS Call AWS"},
	{"aws", "aws___get_regional_availability", "AWS Get Regional Availability"},
	{"grafana", "get_dashboard_by_uid", "Get Dashboard By UID"},
	{"grafana", "query_loki_logs", "Query Loki Logs"},
	{"grafana", "list_oncall_schedules", "List OnCall Schedules"},
	{"grafana", "list_clickhouse_tables", "List ClickHouse Tables"},
	{"grafana", "query_cloudwatch", "Query CloudWatch"},
	{"grafana", "list_prometheus_metric_metadata", "List Prometheus Metric Metadata"},
	{"sentry", "find_organizations", "Find Organizations"},
	{"sentry", "create_dsn", "Create DSN"},
	{"sentry", "find_dsns", "Find DSNs"},
	{"sentry", "analyze_issue_with_seer", "Analyze Issue With Seer"},
	{"kubernetes", "pods_list_in_namespace", "Pods List In Namespace"},
	{"kubernetes", "helm_install", "Helm Install"},
	{"stripe", "search_stripe_documentation", "Search Stripe Documentation"},
	{"stripe", "stripe_api_read", "Stripe API Read"},
	{"stripe", "customers.create", "Customers Create"},
	{"figma", "get_figma_data", "Get Figma Data"},
	{"figma", "download_figma_images", "Download Figma Images"},
	{"supabase", "generate_typescript_types", "Generate TypeScript Types"},
	{"supabase", "apply_migration", "Apply Migration"},
	{"context7", "resolve-library-id", "Resolve Library ID"},
	{"context7", "get-library-docs", "Get Library Docs"},
	{"desktop-commander", "interact_with_process", "Interact With Process"},
	{"desktop-commander", "edit_block", "Edit Block"},
	{"desktop-commander", "get_more_search_results", "Get More Search Results"},
	{"desktop-commander", "write_pdf", "Write PDF"},
	{"serena", "find_referencing_symbols", "Find Referencing Symbols"},
	{"serena", "get_symbols_overview", "Get Symbols Overview"},
	{"serena", "execute_shell_command", "Execute Shell Command"},
	{"home-assistant", "HassTurnOn", "Hass Turn On"},
	{"home-assistant", "HassLightSet", "Hass Light Set"},
	{"home-assistant", "GetLiveContext", "Get Live Context"},
	{"home-assistant", "toggle_entity", "Toggle Entity"},
	{"n8n", "n8n_trigger_webhook_workflow", "n8n Trigger Webhook Workflow"},
	{"n8n", "n8n_update_partial_workflow", "n8n Update Partial Workflow"},
	{"blender", "get_polyhaven_status", "Get Polyhaven Status"},
	{"blender", "get_hyper3d_status", "Get Hyper 3D Status"},
	{"cloudflare", "d1_database_query", "D1 Database Query"},
	{"cloudflare", "d1_databases_list", "D1 Databases List"},
	{"microsoft-learn", "microsoft_docs_search", "Microsoft Docs Search"},
	{"microsoft-learn", "microsoft_code_sample_search", "Microsoft Code Sample Search"},
	{"amap", "maps_text_search", "Maps Text Search"},
	{"amap", "maps_direction_walking", "Maps Direction Walking"},
	{"brave-search", "brave_web_search", "Brave Web Search"},
}

func TestTitleOfRealTools(t *testing.T) {
	servers := map[string]bool{}
	for _, tool := range realTools {
		servers[tool.server] = true
		if got := mcpclient.Title("", tool.name); got != tool.want {
			t.Errorf("%s: %q is %q, want %q", tool.server, tool.name, got, tool.want)
		}
	}
	if len(realTools) < 60 || len(servers) < 25 {
		t.Errorf("%d tools of %d servers are too few to prove much", len(realTools), len(servers))
	}
}
