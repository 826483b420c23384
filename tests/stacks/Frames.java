// Makes calls from many kinds of Java frames. Each opening of "/stride-mark/N" is made by `mark`. At the end, the file that is named by the first argument
// gets a line for each: the number, and the frames that led to `mark`, as Java itself knows them. The second argument is the trace, for which the program
// waits: Stride has to know the program first.

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public class Frames {
    static final AtomicInteger NUMBERS = new AtomicInteger();
    static final ConcurrentLinkedQueue<String> TOLD = new ConcurrentLinkedQueue<>();
    static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

    static String describe(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + "\t" + (frame.getFileName() == null ? "" : frame.getFileName()) + "\t" + Math.max(0, frame.getLineNumber());
    }

    static void mark() {
        String frames = WALKER.walk(stack -> stack.skip(1).map(Frames::describe).collect(Collectors.joining("\u0001")));
        int number = NUMBERS.getAndIncrement();
        TOLD.add(number + "\u0001" + frames);
        new File("/stride-mark/" + number).exists();
    }

    static void recursion(int depth) {
        if (depth > 0) {
            recursion(depth - 1);
        } else {
            mark();
        }
    }

    interface Shape {
        void draw();

        default void drawTwice() {
            draw();
            draw();
        }
    }

    static class Circle implements Shape, Serializable {
        static int made = 1;

        static {
            mark();
        }

        int radius = marked();

        Circle() {
            mark();
        }

        int marked() {
            mark();
            return 1;
        }

        @Override
        public void draw() {
            mark();
        }

        synchronized void locked() {
            mark();
        }

        private void readObject(ObjectInputStream in) throws IOException {
            mark();
        }
    }

    static class Disc extends Circle {
        Disc() {
            super();
            mark();
        }

        @Override
        public void draw() {
            super.draw();
        }
    }

    enum Color {
        RED {
            @Override
            void paint() {
                mark();
            }
        };

        abstract void paint();
    }

    static class Pair {
        Pair(int first, int second) {
            mark();
        }
    }

    static void objects() throws Exception {
        Disc disc = new Disc();
        disc.drawTwice();
        disc.locked();
        Color.RED.paint();
        new Pair(1, 2);
        new Object() {
            void inside() {
                mark();
            }
        }.inside();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(new Circle());
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }

    static void exceptions() {
        try {
            try {
                throw new IllegalStateException("x");
            } finally {
                mark();
            }
        } catch (IllegalStateException e) {
            mark();
            try {
                ((Object) null).hashCode();
            } catch (NullPointerException inner) {
                mark();
            }
        }
        try (AutoCloseable closed = Frames::mark) {
            mark();
        } catch (Exception e) {
            mark();
        }
    }

    static void lambdas() {
        Runnable run = () -> mark();
        run.run();
        Runnable reference = Frames::mark;
        reference.run();
        List<Integer> numbers = new ArrayList<>(List.of(3, 1, 2));
        numbers.forEach(n -> recursion(n));
        numbers.sort(Comparator.comparing(n -> {
            mark();
            return n;
        }));
        numbers.stream().filter(n -> n > 1).map(n -> {
            mark();
            return n + 1;
        }).sorted().forEach(n -> mark());
        IntStream.range(0, 3).parallel().forEach(n -> mark());
        new TreeMap<Integer, Integer>().computeIfAbsent(1, key -> {
            mark();
            return key;
        });
        Stream.iterate(1, n -> n * 2).limit(3).collect(Collectors.groupingBy(n -> {
            mark();
            return n % 2;
        }));
    }

    static void reflection() throws Throwable {
        for (int i = 0; i < 20; i++) {
            Frames.class.getDeclaredMethod("mark").invoke(null);
        }
        MethodHandle handle = MethodHandles.lookup().findStatic(Frames.class, "recursion", MethodType.methodType(void.class, int.class));
        handle.invokeExact(2);
        handle.invokeWithArguments(3);
        InvocationHandler handler = (proxy, method, arguments) -> {
            mark();
            return null;
        };
        ((Shape) Proxy.newProxyInstance(Frames.class.getClassLoader(), new Class<?>[] {Shape.class}, handler)).draw();
        Class.forName("Frames$Loaded").getDeclaredConstructor().newInstance();
        privileged();
        "a".concat("" + new Object() {
            @Override
            public String toString() {
                mark();
                return "b";
            }
        });
    }

    @SuppressWarnings({"deprecation", "removal"})
    static void privileged() {
        AccessController.doPrivileged((PrivilegedAction<Void>) () -> {
            mark();
            return null;
        });
    }

    static class Loaded {
        static {
            mark();
        }

        Loaded() {
            mark();
        }
    }

    static void overLines() {
        calling(
            1,
            () ->
                mark()
        );
        for (int i = 0; i < 2; i++, mark()) {
            mark();
        }
        switch (NUMBERS.get() % 2) {
            case 0:
                mark();
                break;
            default:
                mark();
        }
        IntBinaryOperator add = (a, b) -> {
            mark(

            );
            return a +
                b;
        };
        add.applyAsInt(
            1,
            2
        );
    }

    static void calling(int number, Runnable run) {
        run.run();
    }

    // Methods that are compiled in several ways, the more often they were called.
    static int hot(int n, boolean really) {
        int sum = 0;
        for (int i = 0; i < n % 7; i++) {
            sum += i;
        }
        if (really) {
            sum += n;
            mark();
        }
        return sum;
    }

    static int caller(int n, boolean really) {
        return hot(n, really)
            + hot(n + 1,
                really);
    }

    static int several(Object[] all, int n, boolean really) {
        int sum = caller(n, really);
        for (Object object : all) {
            sum += object.hashCode() + sized(object, n, really);
        }
        return sum;
    }

    static int sized(Object object, int n, boolean really) {
        return object instanceof String ? ((String) object).length() + caller(n, really) : 1;
    }

    static int compiled() {
        Object[] all = {"a", 1, "b", List.of()};
        int sum = 0;
        for (int round = 0; round < 60; round++) {
            for (int n = 0; n < 3000; n++) {
                sum += several(all, n, false);
            }
            sum += several(all, round, true);
        }
        // In a loop that does not end before it is compiled.
        for (int n = 0; n < 30_000_000; n++) {
            sum += n % 3;
            if (n % 3_000_000 == 7) {
                mark();
            }
        }
        return sum;
    }

    // Compiled code that is given up while it waits for what it has called: it counts on a class having no other below it, until that is loaded.
    static class Base {
        int value(int n) {
            return n;
        }
    }

    static class Other extends Base {
        Other() {
            mark();
        }

        @Override
        int value(int n) {
            mark();
            return n + 1;
        }
    }

    static Base base = new Base();
    static boolean isReady;
    static int ran;

    static int trusting(Runnable[] all, int n) {
        int sum = base.value(n);
        all[n % all.length].run();
        return sum + base.value(n);
    }

    static void load() {
        if (isReady) {
            try {
                base = (Base) Class.forName("Frames$Other").getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
            mark();
        }
    }

    static int givenUp() {
        Runnable[] all = {() -> ran++, () -> ran += 2, () -> ran += 3, Frames::load};
        int sum = 0;
        for (int n = 0; n < 200_000; n++) {
            sum += trusting(all, n);
        }
        isReady = true;
        for (int n = 0; n < 8; n++) {
            sum += trusting(all, n);
        }
        return sum;
    }

    // Recursion of compiled code.
    static int deep(int depth, boolean really) {
        if (depth == 0) {
            if (really) {
                mark();
            }
            return 1;
        }
        return deep(depth - 1, really) + 1;
    }

    static void threads() throws Exception {
        Thread thread = new Thread(() -> {
            for (int depth : new int[] {1, 5, 30}) {
                for (int i = 0; i < 3; i++) {
                    recursion(depth);
                }
            }
            lambdas();
        });
        thread.start();
        thread.join();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.submit(Frames::mark).get();
        pool.submit(() -> {
            recursion(3);
            return 1;
        }).get();
        CompletableFuture.supplyAsync(() -> 1, pool).thenApplyAsync(n -> {
            mark();
            return n;
        }, pool).thenAccept(n -> mark()).get();
        pool.shutdown();
    }

    // Waits until the trace has a text, and makes calls meanwhile, which bring the trace to its file.
    static void waitFor(Path trace, String text, Runnable during) throws Exception {
        for (;;) {
            during.run();
            if (new String(Files.readAllBytes(trace), StandardCharsets.ISO_8859_1).contains(text)) {
                return;
            }
            Thread.sleep(10);
        }
    }

    // Waits until Stride knows Java.
    static void known() {
        new File("/stride-known").exists();
    }

    public static void main(String[] arguments) throws Throwable {
        Path trace = Path.of(arguments[1]);
        waitFor(trace, "\"Frames.known\"", Frames::known);
        mark();
        for (int depth : new int[] {1, 30, 100}) {
            recursion(depth);
        }
        objects();
        exceptions();
        lambdas();
        overLines();
        reflection();
        threads();
        recursion(480);
        for (int i = 0; i < 3; i++) {
            // From one place, over and over.
            mark();
        }
        compiled();
        lambdas();
        givenUp();
        for (int i = 0; i < 20_000; i++) {
            deep(20, false);
        }
        deep(500, true);
        // (The memory of a program goes with it.)
        waitFor(trace, "/stride-mark/" + (NUMBERS.get() - 1) + "\"", () -> new File("/stride-end").exists());
        Files.write(Path.of(arguments[0]), TOLD);
    }
}
