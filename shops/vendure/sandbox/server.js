/**
 * A Vendure shop with the plugin, one thing to buy and one page of a storefront.
 *
 * HUNDI_SHOP names a JSON file: `port`, `database` (TypeORM's options), `hundi` (the plugin's).
 */

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const core = require("@vendure/core");
const { populate } = require("@vendure/core/cli");
const { HundiPlugin } = require("@hundi/vendure");

const own = JSON.parse(readFileSync(process.env.HUNDI_SHOP, "utf8"));
const shopUrl = `http://127.0.0.1:${own.port}`;
const storefront = readFileSync(join(__dirname, "storefront.html"), "utf8");

const config = core.mergeConfig(core.defaultConfig, {
  apiOptions: {
    port: own.port,
    hostname: "127.0.0.1",
    middleware: [{ route: "shop", handler: (_, reply) => reply.type("html").send(storefront) }],
  },
  authOptions: {
    tokenMethod: ["cookie", "bearer"],
    superadminCredentials: { identifier: "staff", password: own.password },
    cookieOptions: { secret: own.password },
  },
  dbConnectionOptions: { ...own.database, synchronize: true, logging: false },
  importExportOptions: { importAssetsDir: __dirname },
  logger: new core.DefaultLogger({ level: core.LogLevel.Info }),
  jobQueueOptions: { activeQueues: [] },
  plugins: [
    HundiPlugin.init({
      ...own.hundi,
      returnUrl: (code, outcome) => `${shopUrl}/shop?order=${code}&outcome=${outcome}`,
    }),
  ],
});

const initialData = {
  defaultLanguage: core.LanguageCode.en,
  defaultZone: "Asia",
  countries: [{ code: "IN", name: "India", zone: "Asia" }],
  taxRates: [{ name: "GST", percentage: 0 }],
  shippingMethods: [{ name: "By post", price: 0 }],
  paymentMethods: [{ name: "Hundi", handler: { code: "hundi", arguments: [] } }],
  collections: [],
};

async function main() {
  const app = await core.bootstrap(config);
  const channels = app.get(core.ChannelService);
  const channel = await channels.getDefaultChannel();
  const ctx = await app.get(core.RequestContextService).create({ apiType: "admin" });
  await channels.update(ctx, {
    id: channel.id,
    defaultCurrencyCode: core.CurrencyCode.INR,
    availableCurrencyCodes: [core.CurrencyCode.INR],
    pricesIncludeTax: true,
  });
  await populate(async () => app, initialData, join(__dirname, "products.csv"));
  console.log("the shop is filled");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
