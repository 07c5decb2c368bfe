import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Words is an MCP server with one tool, made with the Java SDK. The tool counts the words of a file line by line. */
public class Words {
  public static void main(String[] args) {
    var schema = Map.<String, Object>of(
        "type", "object",
        "properties", Map.of("path", Map.of("type", "string")),
        "required", List.of("path"));
    var tool = Tool.builder("count_words", schema).description("Counts the words of a file.").build();
    McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
        .serverInfo("words", "1.0.0")
        .capabilities(ServerCapabilities.builder().tools(false).build())
        .toolCall(tool, (exchange, request) -> {
          try {
            var lines = Files.readAllLines(Path.of((String) request.arguments().get("path")));
            var words = 0;
            for (var i = 0; i < lines.size(); i++) {
              words += lines.get(i).split("\\s+").length;
              var token = request.meta() == null ? null : request.meta().get("progressToken");
              if (token != null) {
                exchange.progressNotification(new ProgressNotification(token, i + 1, (double) lines.size(), "line"));
              }
            }
            return CallToolResult.builder().addTextContent(words + " words").build();
          } catch (Exception e) {
            return CallToolResult.builder().addTextContent("cannot read the file: " + e).isError(true).build();
          }
        })
        .build();
  }
}
