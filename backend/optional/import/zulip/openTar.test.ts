import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ExportFiles } from '../openExport.ts'
import { openTar } from './openTar.ts'
import { writeExportTar } from './zulipExport.fixture.ts'

const limits = { files: 100, bytes: 2 ** 20, ratio: 400 }
const files = { 'a.json': '[1]', 'uploads/b.txt': 'text', 'uploads/empty': '' }
const isJson = (name: string): boolean => name.endsWith('.json')

async function readAll(opened: ExportFiles): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of opened.sizes.keys()) found[name] = String(await buffer(await opened.open(name)))
  opened.close()
  return found
}

describe('a tar file', () => {
  it('is read at any position, again and at the same time', async () => {
    const opened = await openTar(await writeExportTar(files), limits, isJson)
    expect(Object.fromEntries(opened.sizes)).toEqual({ 'a.json': 3, 'uploads/b.txt': 4, 'uploads/empty': 0 })
    const open = async (name: string) => String(await buffer(await opened.open(name)))
    expect(
      await Promise.all(['uploads/b.txt', 'a.json', 'uploads/b.txt', 'uploads/empty'].map(open)),
    ).toEqual(['text', '[1]', 'text', ''])
    await expect(opened.open('c')).rejects.toThrow('The export has no file c.')
    opened.close()
  })

  it('needs not be packed by gzip', async () => {
    const packed = await writeExportTar(files)
    const path = join(dirname(packed), 'export.tar')
    writeFileSync(path, gunzipSync(readFileSync(packed)))
    expect(await readAll(await openTar(path, limits, isJson))).toEqual(files)
  })

  it('leaves no file beside it while it is open', async () => {
    const path = await writeExportTar(files)
    const opened = await openTar(path, limits, isJson)
    await buffer(await opened.open('uploads/b.txt'))
    expect(readdirSync(dirname(path))).toEqual(['export.tar.gz'])
    opened.close()
  })

  it('is read without its links', async () => {
    const path = await writeExportTar(files, { 'uploads/link': '/etc/passwd', 'a.json': '/etc/passwd' })
    expect(await readAll(await openTar(path, limits, isJson))).toEqual(files)
  })
})

describe('a tar file that is refused', () => {
  it.each(['../x', 'a/../../x', '/etc/x'])('has the path %s, which leads out of its folder', async (name) => {
    // The library that writes the file removes the first slash of a path.
    const tar = gunzipSync(readFileSync(await writeExportTar({ [name.replace(/^\//, '_')]: 'a' })))
    if (name.startsWith('/')) replaceName(tar, name)
    await expect(openTar(writeGzip(tar), limits, isJson)).rejects.toThrow(
      `The tar file is refused: the path ${name} leads out of its folder.`,
    )
  })

  it('is another file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'zulip-export-')), 'a.tar.gz')
    writeFileSync(path, 'text')
    await expect(openTar(path, limits, isJson)).rejects.toThrow('is neither a .tar.gz file nor a folder.')
    await expect(openTar(writeGzip(Buffer.alloc(2_000, 'x')), limits, isJson)).rejects.toThrow(
      /^The tar file is refused: /,
    )
  })

  it('ends early', async () => {
    const path = await writeExportTar({ 'a.json': 'x'.repeat(10_000), b: String(Math.random()) })
    truncateSync(path, readFileSync(path).length - 20)
    await expect(openTar(path, limits, isJson)).rejects.toThrow(/^The tar file is refused: /)
  })

  it('has too many files', async () => {
    await expect(openTar(await writeExportTar(files), { ...limits, files: 2 }, isJson)).rejects.toThrow(
      'The export has more than 2 files.',
    )
  })

  it('becomes too large when it is unpacked', async () => {
    await expect(openTar(await writeExportTar(files), { ...limits, bytes: 6 }, isJson)).rejects.toThrow(
      'The tar file is refused: uploads/b.txt is too large when it is unpacked.',
    )
  })

  it('has a few bytes that become many, also in a file that is not needed', async () => {
    const path = await writeExportTar({ 'a.json': '[]', zeros: Buffer.alloc(9 * 1024 * 1024) })
    await expect(openTar(path, { ...limits, bytes: 2 ** 40 }, isJson)).rejects.toThrow(
      'The tar file is refused: it is too large when it is unpacked.',
    )
  })
})

function writeGzip(bytes: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'zulip-export-')), 'export.tar.gz')
  writeFileSync(path, gzipSync(bytes))
  return path
}

/** Replaces the name of the first entry, and the sum of its header. */
function replaceName(tar: Buffer, name: string): void {
  tar.fill(0, 0, 100)
  tar.write(name)
  tar.fill(' ', 148, 156)
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}
