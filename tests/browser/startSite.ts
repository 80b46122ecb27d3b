import { cpSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAppFiles } from '../../backend/gateway/createAppFiles.ts'
import { securityHeaders } from '../../backend/gateway/securityHeaders.ts'

/** The built app on its own static host, as with hosted Supabase. */
export interface Site {
  url: string
  /** Replaces the served build by a new one. Returns its first script. */
  deploy(): string
  /** Refuses every connection until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

/** Serves the app for a backend at another origin. */
export async function startSite(backend: string): Promise<Site> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-site-'))
  cpSync(join(import.meta.dirname, '../../dist/app'), dir, { recursive: true })
  const settings = (await (await fetch(`${backend}/linnet.json`)).json()) as object
  writeFileSync(join(dir, 'linnet.json'), JSON.stringify({ ...settings, url: backend, installation: 'site' }))
  let url = ''
  let files = createAppFiles(dir, () => ({}))
  const server = createServer((incoming, outgoing) => {
    void files.serve(incoming, outgoing, new URL(incoming.url!, url).pathname).then((answered) => {
      if (!answered) outgoing.writeHead(404).end()
    })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  files = createAppFiles(dir, () => securityHeaders(url, backend))
  let builds = 0
  return {
    url,
    stop,
    start: () => listen(port),
    deploy: () => {
      builds += 1
      const assets = join(dir, 'assets')
      // As in any build, changed scripts have other names.
      const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
      const next = (name: string) => name.replace(/(-v\d+)?\.js$/, `-v${builds}.js`)
      const names = new RegExp(scripts.map((name) => name.replace('.', '\\.')).join('|'), 'g')
      for (const name of ['index.html', 'service-worker.js', ...scripts.map((one) => `assets/${one}`)]) {
        const text = readFileSync(join(dir, name), 'utf8')
        writeFileSync(join(dir, name), text.replace(names, next))
      }
      for (const name of scripts) renameSync(join(assets, name), join(assets, next(name)))
      const shell = scripts.find((name) => name.startsWith('shell-'))!
      files = createAppFiles(dir, () => securityHeaders(url, backend))
      return `/assets/${next(shell)}`
    },
    end: async () => {
      if (server.listening) await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
