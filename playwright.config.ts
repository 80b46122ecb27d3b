import { defineConfig } from '@playwright/test'
import './bin/suppressDeprecationWarning.mjs'

/**
 * Browser journeys in the system's chromium. Each journey starts a backend of its own and waits for most of its
 * time, so that two at once fill two cores; they wait for what they look for, never for time.
 */
export default defineConfig({
  testDir: 'tests/browser',
  // Journeys in engines other than Chromium run when `npm test -- browser` names the engine, and it is installed.
  testIgnore: ['firefox', 'webkit']
    .filter((engine) => !process.env.LINNET_ENGINES?.split(' ').includes(engine))
    .map((engine) => `**/engines/${engine}.spec.ts`),
  globalSetup: './tests/support/createTemplateFolder.ts',
  workers: 2,
  // They only end a journey that hangs: what is waited for may take long where others use the same cores.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json']],
  use: {
    launchOptions: {
      executablePath: process.env.LINNET_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
