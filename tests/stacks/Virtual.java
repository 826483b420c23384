// Makes calls in virtual threads. Each look for "/stride-mark/N" is made by `mark`. At the end, the file that is named by the first argument gets a line for each: the
// number, what the thread has done before, and the frames that led to `mark`, as Java itself knows them. The second argument is the trace, for which the program waits: Stride has
// to know the program first.

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

public class Virtual {
    static final AtomicInteger NUMBERS = new AtomicInteger();
    static final ConcurrentLinkedQueue<String> TOLD = new ConcurrentLinkedQueue<>();
    static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

    static String describe(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + "\t" + (frame.getFileName() == null ? "" : frame.getFileName()) + "\t" + Math.max(0, frame.getLineNumber());
    }

    static void mark(String before) {
        String frames = WALKER.walk(stack -> stack.skip(1).map(Virtual::describe).collect(Collectors.joining("\u0001")));
        int number = NUMBERS.getAndIncrement();
        TOLD.add(number + "\u0001" + before + "\t\t0\u0001" + frames);
        new File("/stride-mark/" + number).exists();
    }

    static void recursion(int depth, String before) {
        if (depth > 0) {
            recursion(depth - 1, before);
        } else {
            mark(before);
        }
    }

    /** All frames are on the stack of the thread that carries this one. */
    static void began() {
        for (int depth = 0; depth < 4; depth++) {
            recursion(depth * 10, "began");
        }
        List.of(2, 1, 3).stream().sorted((a, b) -> {
            mark("began");
            return a - b;
        }).toList();
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException thrown) {
            mark("began");
        }
    }

    /** Most frames are in the heap after that. */
    static void waited(int depth) throws Exception {
        if (depth > 0) {
            waited(depth - 1);
            return;
        }
        for (int n = 0; n < 3; n++) {
            Thread.sleep(1);
            mark("waited");
            recursion(3, "waited");
            LockSupport.parkNanos(1000);
            mark("waited");
        }
    }

    /** A thread that waits here keeps its carrier. */
    static void pinned() throws Exception {
        Object[] result = new Object[1];
        class Loaded {
            static {
                LockSupport.parkNanos(1000000);
                mark("pinned");
                recursion(5, "pinned");
            }
        }
        result[0] = new Loaded();
    }

    static void known() {
        new File("/stride-known").exists();
    }

    static void waitFor(Path trace, String text, Runnable call) throws Exception {
        do {
            call.run();
            Thread.sleep(10);
        } while (!Files.readString(trace, StandardCharsets.ISO_8859_1).contains(text));
    }

    public static void main(String[] arguments) throws Exception {
        Path trace = Path.of(arguments[1]);
        waitFor(trace, "\"Virtual.known\"", Virtual::known);
        Thread.ofVirtual().start(Virtual::began).join();
        Thread.startVirtualThread(() -> recursion(2, "began")).join();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> futures = new ArrayList<>();
            for (int n = 0; n < 20; n++) {
                futures.add(threads.submit(Virtual::began));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            for (int depth = 0; depth < 30; depth += 10) {
                int deep = depth;
                threads.submit(() -> {
                    waited(deep);
                    return null;
                }).get();
            }
            threads.submit(() -> {
                pinned();
                return null;
            }).get();
        }
        // (The memory of a program goes with it.)
        waitFor(trace, "/stride-mark/" + (NUMBERS.get() - 1) + "\"", () -> new File("/stride-end").exists());
        Files.writeString(Path.of(arguments[0]), TOLD.stream().collect(Collectors.joining("\n")) + "\n");
    }
}
