import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'

/** The server under test. */
export interface Target {
  url: string
  /** The public key: legacy JWT or `sb_publishable_…`. */
  anonKey: string
  /** The secret key: legacy JWT or `sb_secret_…`. */
  serviceKey: string
  /** Whether these tests started it, so that its configuration is known. */
  isOwn: boolean
  /** Whether the migration in `supabase/` has been applied to it. */
  hasSchema: boolean
  /** Whether the function in `supabase/` has been deployed to it. */
  hasFunction: boolean
}

declare module 'vitest' {
  interface ProvidedContext {
    target: Target
  }
}

const here = import.meta.dirname
const variables = ['LINNET_URL', 'LINNET_ANON_KEY', 'LINNET_SERVICE_KEY'] as const

/**
 * Finds the server under test before the first file: the one that LINNET_URL, LINNET_ANON_KEY and LINNET_SERVICE_KEY name, else
 * one that is started by the command line and ends after the last file.
 * @throws Error where only some of the variables are set, or the server ends before it is ready
 */
export default async function startTarget(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const [url, anonKey, serviceKey] = variables.map((name) => process.env[name])
  if (url !== undefined && anonKey !== undefined && serviceKey !== undefined) {
    const base = url.replace(/\/+$/, '')
    project.provide('target', {
      url: base,
      anonKey,
      serviceKey,
      isOwn: false,
      ...(await probe(base, serviceKey)),
    })
    return undefined
  }
  if (url ?? anonKey ?? serviceKey) throw new Error(`Set all of ${variables.join(', ')}, or none of them.`)

  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-acceptance-'))
  // Started as root, PostgreSQL runs as another user, who has to get through.
  chmodSync(dataDir, 0o755)
  const root = join(here, '../..')
  const args = [
    'start',
    '--json',
    '--port',
    '0',
    '--no-app',
    '--data',
    dataDir,
    '--supabase',
    join(here, 'supabase'),
  ]
  const child = spawn(process.execPath, [join(root, 'bin/linnet'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-8000)))
  const ended = new Promise<null>((resolve) => child.once('close', () => resolve(null)))
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended,
  ])
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
  if (line === null) {
    await end()
    throw new Error(`The server ended before it was ready:\n${stderr}`)
  }
  const server = JSON.parse(line) as { url: string; publishableKey: string; secretKey: string }
  project.provide('target', {
    url: server.url,
    anonKey: server.publishableKey,
    serviceKey: server.secretKey,
    isOwn: true,
    hasSchema: true,
    hasFunction: true,
  })
  return end
}

/** What of `supabase/` a server that was started elsewhere has. */
async function probe(url: string, key: string): Promise<{ hasSchema: boolean; hasFunction: boolean }> {
  const headers = { apikey: key, authorization: `Bearer ${key}` }
  const [table, echo] = await Promise.all(
    ['rest/v1/acceptance_items?limit=0', 'functions/v1/acceptance-echo'].map((path) =>
      fetch(`${url}/${path}`, { headers }).then(({ status }) => status),
    ),
  )
  return { hasSchema: table === 200, hasFunction: echo !== 404 }
}
