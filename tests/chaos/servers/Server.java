import java.io.*;
import java.net.*;

/** A server with a thread for each connection. See servers.c. */
public class Server {
    public static void main(String[] args) throws IOException {
        ServerSocket listener = new ServerSocket(Integer.parseInt(args[0]), 64, InetAddress.getLoopbackAddress());
        while (true) {
            Socket socket = listener.accept();
            new Thread(() -> {
                try (socket) {
                    BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                    for (String line; (line = lines.readLine()) != null;) {
                        socket.getOutputStream().write(("answer " + line + "\n").getBytes());
                    }
                } catch (IOException gone) {
                    // The client has left.
                }
            }).start();
        }
    }
}
