import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTarball, installTarball } from '../../support/installPackage.ts'
import { adminOf, call, clientOf } from '../../support/people.ts'
import { startServer, temporaryData, type Server } from '../../support/server.ts'

const checkout = join(import.meta.dirname, '../../..')

interface Lock {
  packages: Record<string, { version: string }>
}

const readLock = (file: string): Lock => JSON.parse(readFileSync(file, 'utf8')) as Lock

const packed = temporaryData()
let tarball = ''
let installed: Awaited<ReturnType<typeof installTarball>>

beforeAll(async () => {
  tarball = await createTarball(packed.dir)
  installed = await installTarball(tarball)
})
afterAll(() => {
  installed.remove()
  packed.remove()
})

/** The headers of the files in a tarball. Modes are octal, and dates are in seconds since 1970. */
function readHeaders(file: string): { name: string; mode: string; owner: string; modified: number }[] {
  const bytes = gunzipSync(readFileSync(file))
  const headers = []
  for (let at = 0; bytes[at] !== 0;) {
    const read = (from: number, to: number): string =>
      bytes
        .toString('utf8', at + from, at + to)
        .replace(/\0.*$/s, '')
        .trim()
    headers.push({
      name: read(0, 100),
      mode: read(100, 108),
      owner: read(108, 124),
      modified: Number.parseInt(read(136, 148), 8),
    })
    at += 512 + Math.ceil(Number.parseInt(read(124, 136), 8) / 512) * 512
  }
  return headers
}

it('modes, owners and dates in the package do not depend on who packs it or when', () => {
  const [commands, files] = [true, false].map((isCommand) =>
    readHeaders(tarball).filter(({ name }) => (name === 'package/bin/pack/linnet.mjs') === isCommand),
  ) as [unknown[], unknown[]]
  // The date that npm gives to all files.
  const common = { name: expect.any(String), owner: '', modified: 499_162_500 }
  expect(commands).toEqual([{ ...common, mode: '000755' }])
  expect(files.length).toBeGreaterThan(100)
  const file = { ...common, mode: '000644' }
  expect(files).toEqual(files.map(() => file))
})

it('the installed packages have the versions that the checkout is tested with', () => {
  const versions: Record<string, string[]> = {}
  for (const [path, { version }] of Object.entries(readLock(join(checkout, 'package-lock.json')).packages))
    (versions[path.replace(/^.*node_modules\//, '')] ??= []).push(version)
  const { packages } = readLock(join(installed.folder, 'package-lock.json'))
  const others = Object.entries(packages).filter(
    ([path, { version }]) =>
      path.includes('node_modules/') && !versions[path.replace(/^.*node_modules\//, '')]?.includes(version),
  )
  expect(others.map(([path]) => path)).toEqual(['node_modules/linnet'])
})

it('the installed package starts with the demo outside of a checkout: page, sign-in, message, Edge Functions', async () => {
  const data = temporaryData()
  let server: Server | null = null
  try {
    server = await startServer({
      root: installed.folder,
      command: realpathSync(installed.command),
      dataDir: data.dir,
      args: ['--demo'],
    })
    const page = await fetch(server.url)
    expect(await page.text()).toContain('<title>Linnet</title>')

    const { data: link } = await adminOf(server).auth.admin.generateLink({
      type: 'magiclink',
      email: 'ann@harbour.example',
    })
    const ann = clientOf(server)
    const { error } = await ann.auth.verifyOtp({
      type: 'email',
      token_hash: link.properties!.hashed_token,
    })
    expect(error).toBeNull()
    const { data: channels } = await ann.from('channels').select('id').eq('name', 'rota')
    const channel = (channels as { id: string }[])[0]!.id
    const id = randomUUID()
    await call(ann, 'send_message', { id, channel, body: 'Sent to the package' })
    const { data: messages } = await ann.from('messages').select('body').eq('id', id)
    expect(messages).toEqual([{ body: 'Sent to the package' }])

    // A function that could not be loaded would respond with 503. These import packages and modules of other directories.
    for (const name of ['link-previews', 'file-texts', 'notification-mail', 'remove-metadata']) {
      const response = await fetch(`${server.url}/functions/v1/${name}`, { method: 'POST', body: '{}' })
      expect([name, await response.text()]).toEqual([name, '{"error":"not_allowed"}'])
    }
  } finally {
    await server?.end('SIGTERM')
    data.remove()
  }
})
