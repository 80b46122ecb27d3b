import { defineConfig } from '@playwright/test'
import './bin/suppressDeprecationWarning.mjs'
import { isFirstTier, secondTierJourneys } from './tests/tiers.ts'

/**
 * The journeys that need the whole browser for notifications, push messages, a microphone or the viewer of PDF files.
 * All others run in Chromium's headless shell, which needs less memory and time.
 */
const journeysInWholeBrowser = /\/(?:files|notifications|push|voice)\.spec\.ts$/

const excluded = isFirstTier ? secondTierJourneys : []

// Journeys in engines other than Chromium run when `npm test -- browser` names the engine, and it is installed.
const absentEngines = ['firefox', 'webkit']
  .filter((engine) => !process.env.LINNET_ENGINES?.split(' ').includes(engine))
  .map((engine) => `**/engines/${engine}.spec.ts`)

const chromium = process.env.LINNET_CHROMIUM ?? '/usr/bin/chromium'

const launchOptions = (executablePath: string, ...more: string[]) => ({
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...more,
  ],
})

/**
 * The browser journeys in the system's Chromium. Most journeys share the server of their worker, and each has a workspace
 * of its own on it. A journey waits for most of its time, so two at once use two cores. A journey waits for a condition,
 * never for time.
 */
export default defineConfig({
  testDir: 'tests/browser',
  globalSetup: './tests/support/createTemplateFolder.ts',
  workers: 2,
  // They only end a journey that hangs. A condition may take long while others use the same cores.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json']],
  use: {
    trace: 'off',
    // Without it a step whose element is covered or gone ends with the journey, which does not say what it waited for.
    actionTimeout: 120_000,
    screenshot: 'only-on-failure',
  },
  projects: [
    {
      name: 'chromium',
      testMatch: journeysInWholeBrowser,
      testIgnore: excluded,
      use: {
        // A microphone, for voice messages.
        launchOptions: launchOptions(
          chromium,
          '--use-fake-device-for-media-stream',
          '--use-fake-ui-for-media-stream',
        ),
      },
    },
    {
      name: 'shell',
      testIgnore: [journeysInWholeBrowser, ...absentEngines, ...excluded],
      use: { launchOptions: launchOptions(process.env.LINNET_HEADLESS_SHELL || chromium) },
    },
  ],
})
