// A web server that reads its settings again for each request, many times. They are in the directory of the first argument. The server asks itself, and ends.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;

public class Web {
    private final Path settingsFile;

    Web(Path settingsFile) {
        this.settingsFile = settingsFile;
    }

    private String settings() throws IOException {
        return Files.readString(settingsFile);
    }

    private void hello(HttpExchange exchange) throws IOException {
        String greeting = "";
        for (int i = 0; i < 20; i++) {
            greeting = settings();
        }
        byte[] answer = greeting.getBytes();
        exchange.sendResponseHeaders(200, answer.length);
        try (var body = exchange.getResponseBody()) {
            body.write(answer);
        }
    }

    public static void main(String[] arguments) throws Exception {
        // (Otherwise the server sends an answer in two parts, and waits 40 ms in between.)
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Web web = new Web(Path.of(arguments[0], "settings.json"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hello", web::hello);
        server.start();
        URL url = new URL("http", "127.0.0.1", server.getAddress().getPort(), "/hello");
        for (int i = 0; i < 500; i++) {
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            try (InputStream answer = connection.getInputStream()) {
                answer.readAllBytes();
            }
        }
        server.stop(0);
    }
}
