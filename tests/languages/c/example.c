/* A cart of items in C. */
#ifndef SHOP_CART_H
#define SHOP_CART_H

#include <stddef.h>
#include "price.h"

/* How many. */
#define MAX_ITEMS 100
#define DEBUG
// The larger one.
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

#ifdef __cplusplus
extern "C" {
#endif

struct forward;
typedef unsigned long ulong_t;
typedef int (*compare_fn)(const void *, const void *);
typedef struct item *item_ref, **item_refs;
typedef char name_t[12];

/** One item. */
struct item {
    struct item *next;
    unsigned flags : 3, kind : 2;
    void (*on_sale)(struct item *self, int price);
    char name[12], **lines;
    /* where it lies */
    struct {
        int x;
    } place;
    union {
        int cents;
        float euros;
    };
#if DEBUG
    int line;
#endif
};

typedef struct {
    struct item *first;
} cart_t, *cart_p;

typedef struct node {
    struct node *left;
} node_t;

typedef struct pair { int a; } pair;

union number { int i; float f; };

typedef enum {
    /* hot */
    RED = 1,
    GREEN,
} color;

enum size { SMALL, LARGE };
enum { ANONYMOUS = 3 };

extern int cart_count;
static const int limit = 3;
const char *names[] = {"a", "b"};
static cart_t carts[2], *current = NULL;
static int (*hook)(int) = NULL;

/* Prototypes. */
int cart_add(cart_t *cart, struct item *item);
extern char **cart_names(void) __attribute__((nonnull));
SHOP_API int cart_exported(int id);
void (*cart_signal(int sig, void (*handler)(int)))(int);

#ifdef __cplusplus
}
#endif
#endif

/* Adds one. */
int
cart_add(cart_t *cart, struct item *item)
{
    int local = 1, *pointer = &local;
    static const char *words[] = {"x"};
    int later(int x);
    int (*callback)(int) = later;
    struct inside { int deep; } value;
#ifdef DEBUG
    int debug_only = 2;
#endif
    for (int i = 0; i < 3; i++) {
        char buffer[3];
    }
    switch (local) {
    case 1:;
        int in_case;
    }
    return later(*pointer);
}

static inline char **cart_names(void) { return NULL; }

int old_style(a, b)
    int a;
    char *b;
{
    return a;
}

#ifdef _WIN32
int platform(void) { return 1; }
#else
int platform(void) { return 2; }
static int only_here;
#endif

__attribute__((noreturn)) void die(const char *format, ...) { for (;;); }
void (*cart_signal(int sig, void (*handler)(int)))(int) { return handler; }

TEST_IMPL(cart_total) {
    return 0;
}
