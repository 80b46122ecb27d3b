import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declareOwnFolders } from '../support/ownFolders.ts'
import { startStorage } from '../support/startStorage.ts'
import { expectAgreement, filesIn } from './expectAgreement.ts'
import { openFolder } from './openFolder.ts'

/** Mounts a file system of `size` on a new folder; null if this user cannot. */
function mountSmall(size: string): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-small-'))
  try {
    execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' })
    return dir
  } catch {
    rmSync(dir, { recursive: true })
    return null
  }
}

/** A body without a declared length. */
async function* endless(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < 600_000; sent += 60_000) yield new Uint8Array(60_000)
}

test('a full disk returns an error, keeps existing objects, and recovers', async (context) => {
  const dir = mountSmall('1m')
  if (dir === null) return context.skip('mounting needs root')
  const server = await startStorage({ dir, config: '[storage]\nfree_space_reserve = "0B"\n' })
  try {
    await declareOwnFolders(server)
    const { headers, at, put, get, remove, begin, sendPiece, offsetOf } = await openFolder(server)
    const address = await begin('in-pieces', 600_000)
    expect((await sendPiece(address, 0, new Uint8Array(1_000))).status).toBe(204)
    expect((await put('first', new Uint8Array(600_000))).status).toBe(200)
    const form = new FormData()
    form.append('', new Blob([new Uint8Array(600_000)]), 'x')
    const { 'content-type': _, ...untyped } = headers
    const refused = [
      () => put('second', new Uint8Array(600_000)),
      () => fetch(at('second'), { method: 'POST', headers: untyped, body: form }),
      // The request declares no length: only the full disk stops it.
      () => fetch(at('second'), { method: 'POST', headers, body: endless(), duplex: 'half' }),
      () => sendPiece(address, 1_000, new Uint8Array(599_000)),
    ]
    for (const sendRequest of refused) {
      const full = await sendRequest()
      expect(full.status).toBe(507)
      expect(await full.text()).toContain('There is no space left')
      expect(filesIn(dir, 'incoming')).toEqual([])
    }
    await expect(begin('too-much', 600_000)).rejects.toThrow('507')
    expect((await get('second')).status).toBe(400)
    expect((await (await get('first')).arrayBuffer()).byteLength).toBe(600_000)
    expect(await offsetOf(address)).toBe('1000')
    expect((await remove('first')).status).toBe(200)
    expect((await sendPiece(address, 1_000, new Uint8Array(599_000))).status).toBe(204)
    expect((await remove('in-pieces')).status).toBe(200)
    expect((await put('second', new Uint8Array(600_000))).status).toBe(200)
    await expectAgreement(server)
  } finally {
    await server.stop()
    execFileSync('/usr/bin/umount', [dir])
    rmSync(dir, { recursive: true })
  }
})

test('uploads keep the reserve of the disk free, also concurrent ones and ones without a length', async (context) => {
  const dir = mountSmall('64m')
  if (dir === null) return context.skip('mounting needs root')
  const server = await startStorage({ dir, config: '[storage]\nfree_space_reserve = "40MiB"\n' })
  try {
    await declareOwnFolders(server)
    const { headers, at, put, begin, sendPiece, relocate, remove } = await openFolder(server)
    const megabytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count * 1024 * 1024)
    const address = await begin('in-pieces', 20 * 1024 * 1024)
    expect((await put('first', megabytes(15))).status).toBe(200)
    // 64 - 15: nine are left above the reserve.
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 48; sent++) yield megabytes(1)
    }
    const refused = [
      () => put('second', megabytes(10)),
      () => fetch(at('second'), { method: 'POST', headers, body: endless(), duplex: 'half' }),
      () => sendPiece(address, 0, megabytes(20)),
    ]
    for (const sendRequest of refused) {
      const full = await sendRequest()
      expect(full.status).toBe(507)
      expect(await full.text()).toContain('There is no space left')
    }
    expect(await relocate('copy', 'first', 'second')).toBe(507)
    const { bavail, bsize } = statfsSync(dir)
    expect(bavail * bsize).toBeGreaterThan(40 * 1024 * 1024)
    expect((await remove('first')).status).toBe(200)
    expect((await put('second', megabytes(10))).status).toBe(200)
    await expectAgreement(server)
  } finally {
    await server.stop()
    execFileSync('/usr/bin/umount', [dir])
    rmSync(dir, { recursive: true })
  }
})
