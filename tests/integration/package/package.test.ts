import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
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

it('packing the same sources again writes the same bytes, whatever the umask', async () => {
  const again = await createTarball(join(packed.dir, 'again'), '077')
  expect(readFileSync(again).equals(readFileSync(tarball))).toBe(true)
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
