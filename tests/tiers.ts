/**
 * Tests that only `npm run test:all` runs, unless words name them. `npm test` has to stay short enough that developers run
 * it before each commit. `.ci/run` runs both tiers, so every change is tested by all of them before it lands.
 */
export const secondTier = [
  // Other projects' schemas, and programs for their developers.
  'tests/integration/projects/{shop,todo}.test.ts',
  'tests/integration/{types,deploy,cli,dashboard}/**',
  'tests/integration/apiExamples.test.ts',
  'tests/integration/rest/openapi.test.ts',
  'backend/optional/openapi/**',
  // Ways of signing in that Linnet's own settings do not enable.
  'tests/integration/auth/{wallets,phone,oauth,oauthServer,hooks,slowHooks}.test.ts',
  'backend/optional/sms/**',
  // Hostile input, attacks and random requests.
  'tests/integration/storage/hostile/**',
  'tests/integration/rest/{injection,fuzz,leaks}.test.ts',
  'tests/integration/rest/properties/**',
  'tests/integration/realtime/{attacks,permissionAttacks,fuzz,limits,order}.test.ts',
  'tests/integration/auth/{fuzz,hiddenAccounts}.test.ts',
  'tests/integration/gateway/budgets.test.ts',
  // The same rights as the permission matrix, on a whole server.
  'tests/integration/access/**',
  // How a failed random test is made short.
  'tests/sync-property/shrinkScript.test.ts',
  // Crashes, injected faults, upgrades, the published package and interrupted requests.
  'tests/{crash,idempotency}/**',
  'tests/integration/{startup,package}/**',
  'backend/restore/{continuedBackups,restoreBackup}.test.ts',
  'tests/integration/storage/faults/**',
  'tests/integration/realtime/{serverFaults,postgresFaults,readerFaults,clockFaults,presenceAfterCrash,walGap}.test.ts',
  'tests/integration/functions/{faults,shutdown}.test.ts',
  'tests/integration/cron/crash.test.ts',
]

/**
 * Journeys of the second tier: other programs, administration, several workspaces, ways of signing in, and single parts of the
 * interface.
 */
export const secondTierJourneys = [
  '**/{applications,bots,dashboard,notifications,push,voice}.spec.ts',
  '**/{administration,departingOwner,moderation,retention,webChannels,workspaces}.spec.ts',
  '**/{account,deviceSignIn,invitations,joining}.spec.ts',
  '**/{accessibility,dates,directory,emoji,export,gallery,groups,language,later,ownSettings,people}.spec.ts',
]

/** Whether this run leaves out the second tier. */
export const isFirstTier = process.env['LINNET_TIER'] === 'first'
