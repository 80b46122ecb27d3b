import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import type { Driver, LaunchOptions } from './driver.ts'

const PREFERENCES = {
  // The system chooses a free port, which Firefox writes into a file of its profile.
  'marionette.port': 0,
  'general.smoothScroll': false,
  // No first-run pages and no requests to Mozilla.
  'browser.aboutwelcome.enabled': false,
  'browser.startup.page': 0,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'extensions.systemAddon.update.enabled': false,
  'toolkit.telemetry.enabled': false,
  'toolkit.legacyUserProfileCustomizations.stylesheets': true,
}

/** Firefox on an empty profile, without a display. */
export async function launchFirefox(options: LaunchOptions): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'linnet-firefox-'))
  const preferences = {
    ...PREFERENCES,
    ...(options.userAgent && { 'general.useragent.override': options.userAgent }),
  }
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  // Without it no window is narrower than 500 px.
  mkdirSync(join(profile, 'chrome'))
  writeFileSync(join(profile, 'chrome', 'userChrome.css'), ':root { min-width: 0 !important; }')

  const firefox = spawn(
    process.env.LINNET_FIREFOX ?? 'firefox-esr',
    ['--marionette', '--headless', '--no-remote', '--profile', profile],
    // Firefox refuses to run as root in another user's home directory.
    { stdio: 'ignore', env: { ...process.env, HOME: profile } },
  )
  const exited = new Promise<void>((resolve) => {
    firefox.once('close', () => resolve())
  })
  let failure: Error | null = null
  firefox.once('error', (error) => {
    failure = error
  })
  let port = ''
  await expect
    .poll(
      () => {
        if (failure) throw failure
        port = readFileOrEmpty(join(profile, 'MarionetteActivePort'))
        return port
      },
      { timeout: 60_000 },
    )
    .not.toBe('')

  const socket = connect(Number(port), '127.0.0.1')
  const request = createMarionetteClient(socket)
  await request('WebDriver:NewSession', {})
  return {
    async send<Result>(command: string, parameters = {}) {
      const result = await request(`WebDriver:${command}`, parameters)
      return (isValue(result) ? result.value : result) as Result
    },
    async end() {
      await request('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => firefox.kill('SIGKILL'))
      await exited
      socket.destroy()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

const isValue = (result: unknown): result is { value: unknown } =>
  typeof result === 'object' && result !== null && 'value' in result

function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

type Request = (command: string, parameters: Record<string, unknown>) => Promise<unknown>
type Reply = [type: 1, id: number, error: { error: string; message: string } | null, result: unknown]

/**
 * Marionette's protocol: each message is its length in bytes, a colon and JSON. A request is `[0, id, command,
 * parameters]`, a reply `[1, id, error, result]`; the first message is a greeting.
 * https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
 */
function createMarionetteClient(socket: Socket): Request {
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, colon))
      if (colon < 0 || received.length < end) return
      const message = JSON.parse(received.subarray(colon + 1, end).toString()) as Reply
      received = received.subarray(end)
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      if (error) pending.get(id)?.reject(new Error(`${error.error}: ${error.message}`))
      else pending.get(id)?.resolve(result)
      pending.delete(id)
    }
  })
  const onEnd = (): void => {
    for (const { reject } of pending.values()) reject(new Error('Firefox closed the connection'))
    pending.clear()
  }
  socket.on('error', onEnd)
  socket.on('close', onEnd)
  let lastId = 0
  return (command, parameters) =>
    new Promise((resolve, reject) => {
      lastId += 1
      pending.set(lastId, { resolve, reject })
      const text = JSON.stringify([0, lastId, command, parameters])
      socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
}
