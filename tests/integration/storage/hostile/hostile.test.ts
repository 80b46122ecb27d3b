import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium } from '@playwright/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { filesThatRun } from './filesThatRun.ts'
import { hostileFiles, hostileNames } from './hostileFiles.ts'
import { ownOnly } from '../support/server.ts'
import { startStorage } from '../support/startStorage.ts'
import type { StorageServer } from '../support/startStorage.ts'
import { encodeMetadata } from '../support/tusClient.ts'

let server: StorageServer
let service: Record<string, string>
const appDir = mkdtempSync(join(tmpdir(), 'linnet-app-'))

const at = (path: string): string => `${server.url}/storage/v1/object/${path}`
const placeOf = (index: number): string => at(`public/open/hostile/${index}`)

/** Processes a list, eight items at a time. */
async function each<T>(list: readonly T[], act: (one: T, index: number) => Promise<void>): Promise<void> {
  const left = list.entries()
  const worker = async (): Promise<void> => {
    for (const [index, one] of left) await act(one, index)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Names of all files below the folder, without the versions of objects, which are ours. */
const unexpectedFiles = (): string[] =>
  readdirSync(server.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(server.dir.length))
    .filter((path) => !/^\/objects\/([0-9a-f]{2})\/\1[0-9a-f]{6}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(path))

beforeAll(async () => {
  // An application at the same origin, which can load the stored files.
  writeFileSync(join(appDir, 'index.html'), '<!doctype html>')
  server = await startStorage({ appDir })
  service = { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` }
  await server.sql.query(`insert into storage.buckets (id, name, public) values ('open', 'open', true)`)
})
afterAll(async () => {
  await server?.stop()
  rmSync(appDir, { recursive: true, force: true })
})

/** What browsers show without running anything, and what the bytes of such a file must not begin with. */
const shown = /^(text\/plain|application\/pdf|(image|audio|video)\/(?!svg)[\w.+-]+)(;|$)/

const before = process.memoryUsage().rss

test(
  `${hostileFiles.length} hostile files are stored, and returned so that no code runs`,
  ownOnly,
  async () => {
    expect(hostileFiles.length).toBeGreaterThan(150)
    const faults: string[] = []
    await each(hostileFiles, async ({ name, label, bytes }, index) => {
      const stored = await fetch(at(`open/hostile/${index}`), {
        method: 'POST',
        headers: { ...service, 'content-type': label },
        body: new Uint8Array(bytes),
      })
      const got = await fetch(placeOf(index))
      const same = Buffer.from(await got.arrayBuffer()).equals(bytes)
      const { headers } = got
      const policy = headers.get('content-security-policy') ?? ''
      const type = headers.get('content-type') ?? ''
      const isSaved = headers.get('content-disposition')?.startsWith('attachment') ?? false
      const isSafe =
        headers.get('x-content-type-options') === 'nosniff' &&
        policy.includes("default-src 'none'") &&
        /; sandbox(;|$)/.test(policy) &&
        !headers.has('content-encoding') &&
        !/html|xml|multipart|rfc822/i.test(isSaved ? '' : type) &&
        (isSaved || shown.test(type))
      if (!stored.ok || !same || !isSafe) faults.push(`${name}: ${stored.status} ${got.status} ${type}`)
    })
    expect(faults).toEqual([])
    expect(unexpectedFiles()).toEqual([])
  },
)

test(`${hostileNames.length} hostile names stay inside the folder`, ownOnly, async () => {
  const around = readdirSync(dirname(server.dir)).toSorted()
  const statuses = new Set<number>()
  await each(hostileNames, async (name) => {
    const metadata = { bucketName: 'open', objectName: name, contentType: 'text/plain' }
    const form = new FormData()
    form.append('', new Blob(['x']), name)
    const json = { bucketId: 'open', sourceKey: 'hostile/0', destinationKey: name }
    const requests = [
      () => fetch(at(`open/${encodeURIComponent(name)}`), { method: 'PUT', headers: service, body: 'x' }),
      () => fetch(at(`open/${name.replaceAll('#', '%23')}`), { method: 'PUT', headers: service, body: form }),
      () =>
        fetch(at('copy'), {
          method: 'POST',
          headers: { ...service, 'content-type': 'application/json', 'x-upsert': 'true' },
          body: JSON.stringify(json),
        }),
      () =>
        fetch(`${server.url}/storage/v1/upload/resumable`, {
          method: 'POST',
          headers: {
            ...service,
            'tus-resumable': '1.0.0',
            'x-upsert': 'true',
            'upload-length': '1',
            'content-type': 'application/offset+octet-stream',
            'upload-metadata': encodeMetadata(metadata),
          },
          body: 'x',
        }),
      () => fetch(at(`open/${encodeURIComponent(name)}`), { headers: service }),
    ]
    for (const send of requests) {
      const response = await send().catch(() => null)
      await response?.arrayBuffer()
      if (response) statuses.add(response.status)
    }
  })
  expect([...statuses].filter((status) => status >= 500)).toEqual([])
  expect(statuses).toContain(200)
  expect(statuses).toContain(400)
  expect(unexpectedFiles()).toEqual([])
  expect(readdirSync(dirname(server.dir)).toSorted()).toEqual(around)
  expect(server.log.filter((line) => line.includes(' error '))).toEqual([])
  expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(256)
})

/** Sends raw bytes, and then ends the connection if `breakOff` is set. Returns the status, or 0 if there is none. */
function sendRaw(head: string[], body: string | Buffer, o: { breakOff?: boolean } = {}): Promise<number> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => {
      const fields = Object.entries(service).map(([name, value]) => `${name}: ${value}`)
      socket.write([...head, 'host: x', ...fields, 'connection: close', '', ''].join('\r\n'))
      socket.write(body)
      if (o.breakOff) socket.end()
    })
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      // 100 only means that the body can be sent.
      const status = /(?:^|\n)HTTP\/1\.1 ([2-5]\d\d)/.exec(received)?.[1]
      if (status === undefined) return
      resolve(Number(status))
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(0))
  })
}

const part = (fields: string, body = 'x'): string =>
  `--b\r\nContent-Disposition: form-data; ${fields}\r\n\r\n${body}\r\n`
const filePart = part('name="file"; filename="a"')
const inForm = (body: string): string[] => [
  'POST /storage/v1/object/open/bodies/x HTTP/1.1',
  'x-upsert: true',
  'content-type: multipart/form-data; boundary=b',
  `content-length: ${Buffer.byteLength(body)}`,
]
const raw = (...fields: string[]): string[] => [
  'POST /storage/v1/object/open/bodies/x HTTP/1.1',
  'x-upsert: true',
  'content-type: text/plain',
  ...fields,
]

/** Complete forms, and the expected status. */
const forms: [string, string, number[]][] = [
  ['a file', `${filePart}--b--\r\n`, [200]],
  ['no part', '--b--\r\n', [400]],
  ['nothing', '', [400]],
  ['no file', `${part('name="a"')}--b--\r\n`, [400]],
  ['no end', filePart, [400]],
  ['two files', `${filePart}${filePart}--b--\r\n`, [200, 400]],
  [
    'a field twice',
    `${part('name="cacheControl"', '1')}${part('name="cacheControl"', '2')}${filePart}--b--\r\n`,
    [200],
  ],
  ['10,000 tiny parts', `${part('name="a"').repeat(10_000)}${filePart}--b--\r\n`, [200, 400]],
  ['10,000 tiny files', `${filePart.repeat(10_000)}--b--\r\n`, [200, 400]],
  ['a name of 100 KB', `${part(`name="${'a'.repeat(100_000)}"; filename="a"`)}--b--\r\n`, [200, 400]],
  ['a boundary within', `${part('name="f"; filename="a"', '\r\n--b-\r\n--')}--b--\r\n`, [200]],
  ['another boundary', filePart.replaceAll('--b', '--c'), [400]],
]

/** Bodies that do not match their headers. */
const liars: [string, string[], string, number[]][] = [
  ['in chunks', raw('transfer-encoding: chunked'), '1\r\nx\r\n0\r\n\r\n', [200]],
  ['in chunks that are none', raw('transfer-encoding: chunked'), 'zz\r\nx\r\n', [0, 400]],
  ['of two lengths', raw('content-length: 1', 'content-length: 2'), 'xy', [400]],
  ['in chunks and of a length', raw('content-length: 1', 'transfer-encoding: chunked'), '0\r\n\r\n', [400]],
  ['of a length below nothing', raw('content-length: -1'), 'x', [400]],
  ['of a length beyond numbers', raw('content-length: 99999999999999999999'), 'x', [0, 400, 413]],
  ['shorter than declared', raw('content-length: 10'), 'x', [0, 400, 499]],
  ['longer than declared', raw('content-length: 1'), 'xGET / HTTP/1.1\r\n\r\n', [200, 400]],
  ['waited for', raw('content-length: 1', 'expect: 100-continue'), 'x', [200]],
  ['waited for otherwise', raw('content-length: 1', 'expect: x'), 'x', [417]],
  ['with 20 KB of headers', raw('content-length: 1', `x-a: ${'a'.repeat(20_000)}`), 'x', [200, 431]],
  ['with 2,000 headers', raw('content-length: 1', ...Array<string>(2000).fill('x: y')), 'x', [200, 400, 431]],
]

/** After these bodies the server correctly waits for more. */
const unfinished = new Set(['shorter than declared', 'of a length beyond numbers', 'in chunks that are none'])

test(
  'bodies with wrong lengths, cut off or endless are refused with an error, and leave no file',
  ownOnly,
  async () => {
    const faults: string[] = []
    const settled = (name: string, allowed: number[], status: number): void => {
      if (!allowed.includes(status)) faults.push(`${name}: ${status}`)
    }
    for (const [name, body, allowed] of forms) settled(name, allowed, await sendRaw(inForm(body), body))
    for (const [name, head, body, allowed] of liars)
      settled(name, allowed, await sendRaw(head, body, { breakOff: unfinished.has(name) }))
    // The connection can break at each byte of a form.
    const form = `${part('name="cacheControl"', '1')}${filePart}--b--\r\n`
    await each(
      Array.from(form).map((_, index) => index),
      async (index) => {
        settled(
          `cut at ${index}`,
          [0, 400, 499],
          await sendRaw(inForm(form), form.slice(0, index), { breakOff: true }),
        )
      },
    )
    expect(faults).toEqual([])
    await vi.waitFor(() => expect(unexpectedFiles()).toEqual([]))
    expect(server.log.filter((line) => line.includes(' error '))).toEqual([])
  },
)

/** A server that returns the files with their declared content type, without protective headers. */
async function serveBare(): Promise<Server> {
  const bare = createServer((request, response) => {
    const file = hostileFiles[Number(request.url!.split('/').pop())]
    response.writeHead(file ? 200 : 404, { 'content-type': file?.label ?? 'text/plain' }).end(file?.bytes)
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  return bare
}

const executablePath = process.env.LINNET_CHROMIUM ?? '/usr/bin/chromium'

test.skipIf(!existsSync(executablePath))('Chromium runs none of them', async () => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const bare = await serveBare()
  try {
    const origin = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`
    // The files that run without protective headers: without this the test would prove nothing.
    const lively = [
      'GIF that is a script as text/javascript',
      'SVG as image/svg+xml',
      'SVG with a page in it as image/svg+xml',
      'page as TEXT/HTML; charset=utf-7',
      'script as text/javascript',
    ]
    const bareOnes = hostileFiles.flatMap(({ name }, index) =>
      lively.includes(name) ? [`${origin}/${index}`] : [],
    )
    expect(await filesThatRun(browser, origin, bareOnes, ['iframe', 'script'])).toEqual(lively)
    const places = hostileFiles.map((_, index) => placeOf(index))
    expect(await filesThatRun(browser, server.url, places, ['iframe'])).toEqual([])
    const embedded = places.filter((_, index) => /svg|javascript|png/.test(hostileFiles[index]!.label))
    expect(await filesThatRun(browser, server.url, embedded, ['object', 'img', 'script'])).toEqual([])
  } finally {
    await browser.close()
    bare.closeAllConnections()
    bare.close()
  }
})
