import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect } from '@playwright/test'
import { COMMANDS, type Command, type Driver, type LaunchOptions } from './driver.ts'

/** WebKitGTK's MiniBrowser, which keeps its data in memory, on its own display. */
export async function launchWebKit(options: LaunchOptions): Promise<Driver> {
  const config = mkdtempSync(join(tmpdir(), 'linnet-webkit-'))
  // Without it the buttons of the toolbar keep a window from being narrower than 447 px.
  mkdirSync(join(config, 'gtk-3.0'))
  writeFileSync(
    join(config, 'gtk-3.0', 'gtk.css'),
    'window * { min-width: 0; padding: 0; margin: 0; font-size: 1px; }',
  )
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const display = await firstLine(xvfb, xvfb.stdio[3] as Readable)
  const port = await freePort()
  const webKitDriver = spawn(process.env.LINNET_WEBKIT_DRIVER ?? 'WebKitWebDriver', ['-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${display}`, XDG_CONFIG_HOME: config, NO_AT_BRIDGE: '1' },
  })
  const server = `http://127.0.0.1:${port}`
  await expect
    .poll(async () => {
      if (webKitDriver.exitCode !== null) throw new Error('WebKitWebDriver ended')
      return fetch(`${server}/status`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
    .toBe(true)

  const args = ['--automation', ...(options.userAgent ? [`--user-agent=${options.userAgent}`] : [])]
  const { sessionId } = await request<{ sessionId: string }>('POST', `${server}/session`, {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { args } } },
  })
  const session = `${server}/session/${sessionId}`
  return {
    send<Result>(command: Command, parameters: Record<string, unknown> = {}) {
      const [method, path] = COMMANDS[command]
      const { id = '', ...body } = parameters
      return request<Result>(method, `${session}/${path.replace('{id}', String(id))}`, body)
    },
    async end() {
      await request('DELETE', session).catch(() => {})
      await Promise.all([stop(webKitDriver), stop(xvfb)])
      rmSync(config, { recursive: true, force: true })
    },
  }
}

/** https://www.w3.org/TR/webdriver2/#protocol */
async function request<Result>(method: string, url: string, body?: unknown): Promise<Result> {
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  })
  const { value } = (await response.json()) as { value: Result & { error?: string; message?: string } }
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
  return value
}

function firstLine(child: ChildProcess, stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: stream }).once('line', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)))
  })
}

/** A port that was free a moment ago: WebKitWebDriver has no way to report one that the system chose. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => {
    child.once('exit', resolve)
  })
  child.kill()
  await exited
}
