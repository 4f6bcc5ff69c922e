// Carts in Objective-C.
#import <Foundation/Foundation.h>
#import "Item.h"

@class Item;

#define MAX_ITEMS 3

typedef void (^Handler)(NSError *error);
typedef struct { int x; } Place;
enum Size { SizeSmall, SizeLarge };
extern NSString *const CartChanged;
static const int kLimit = 3;
FOUNDATION_EXPORT void CartRun(void);

/** Has a price. */
@protocol Priced <NSObject>
@property (nonatomic, readonly) NSInteger price;
- (NSInteger)priceFor:(Item *)item inCountry:(NSString *)country;
@optional
+ (instancetype)freeItem;
@end

/// A cart.
@interface Cart<ObjectType> : NSObject <Priced, NSCopying> {
  @private
  NSMutableArray *_items;
  int count, *numbers;
}
/// The items.
@property (nonatomic, strong) NSArray<Item *> *items;
@property (nonatomic, copy) void (^done)(BOOL ok);
- (instancetype)initWithItems:(NSArray *)items;
- (void)reset;
+ (Cart *)cart;
@end

@interface Cart ()
@property int hidden;
@end

@interface Cart (Sorting)
- (void)sortBy:(SEL)selector;
@end

@implementation Cart {
  int _x;
}
@synthesize items = _items;

// Builds it.
- (instancetype)initWithItems:(NSArray *)items {
  if ((self = [super init])) {
    int local = 1;
  }
  return self;
}

- (void)reset
{
  void (^block)(int) = ^(int x) { int y; };
  NSString *word = @"x";
}

+ (Cart *)cart { return [self new]; }
- (void)dealloc {}

static int helper(int x) { return x; }
@end

@implementation Cart (Sorting)
- (void)sortBy:(SEL)selector {}
@end

void CartRun(void) {}

typedef NS_ENUM(NSInteger, Color) {
  ColorRed,
  ColorGreen = 2
};
