// case: four Java threads hold one lock while they wait for something slow, so they run in turn
// first: lock
// first: thread|turn|wait
// useful: lock
// saves: time
import java.util.concurrent.locks.ReentrantLock;

public class ParkedLock {
    static final ReentrantLock lock = new ReentrantLock();
    static long total;

    static void slow() throws InterruptedException {
        Thread.sleep(4);
    }

    public static void main(String[] args) throws Exception {
        boolean corrected = args.length > 0 && args[0].equals("corrected");
        Thread[] threads = new Thread[4];
        for (int t = 0; t < 4; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < 100; i++) {
                        if (corrected) {
                            slow();
                        }
                        lock.lock();
                        try {
                            if (!corrected) {
                                slow();
                            }
                            total++;
                        } finally {
                            lock.unlock();
                        }
                    }
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(total);
    }
}
