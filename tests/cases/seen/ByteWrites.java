// case: a Java program copies a file one byte at a time, without a buffer
// first: copy.bin|input.bin
// first: byte
// useful: copy.bin|input.bin
// saves: calls
import java.io.*;

public class ByteWrites {
    public static void main(String[] args) throws IOException {
        try (FileOutputStream out = new FileOutputStream("input.bin")) {
            out.write(new byte[20000]);
        }
        boolean corrected = args.length > 0 && args[0].equals("corrected");
        InputStream in = new FileInputStream("input.bin");
        OutputStream out = new FileOutputStream("copy.bin");
        if (corrected) {
            in = new BufferedInputStream(in);
            out = new BufferedOutputStream(out);
        }
        int b;
        while ((b = in.read()) >= 0) {
            out.write(b);
        }
        in.close();
        out.close();
    }
}
