// Calls out of a destructor and a handler of exceptions, and through a template and a lambda.
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

namespace shop {
struct Guard {
    KEEP ~Guard() { write(1, "marked\n", 7); }
};

template <typename T> KEEP void sell(T price)
{
    Guard guard;
    if (price > 1)
        throw price;
    __asm__ volatile("" ::: "memory");
}

KEEP void recover(double)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}
}

int main()
{
    auto attempt = [](int price) KEEP {
        try {
            shop::sell(price);
        } catch (int) {
            shop::recover(0.5);
        }
    };
    attempt(2);
    return 0;
}
