import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeExportFolder, writeExportZip } from './exportFiles.fixture.ts'
import { findFolder, openExport } from './openExport.ts'

const limits = { files: 100, bytes: 2 ** 30, ratio: 400 }
const files = { 'users.json': [], 'general/2023-11-14.json': [{ ts: '1' }], '__uploads/F1/a.txt': 'text' }

async function readAll(path: string): Promise<Record<string, string>> {
  const opened = await openExport(path, limits)
  const read: Record<string, string> = {}
  for (const name of opened.sizes.keys()) {
    const chunks: Buffer[] = []
    for await (const chunk of await opened.open(name)) chunks.push(chunk as Buffer)
    read[name] = Buffer.concat(chunks).toString()
  }
  opened.close()
  return read
}

const contents = {
  'users.json': '[]',
  'general/2023-11-14.json': '[{"ts":"1"}]',
  '__uploads/F1/a.txt': 'text',
}

/** Replaces a text within the bytes of a file by one of the same length. */
async function writeZipWith(from: string, to: string, more: Record<string, unknown> = {}): Promise<string> {
  const path = await writeExportZip({ ...files, ...more })
  const { readFileSync } = await import('node:fs')
  writeFileSync(path, Buffer.from(readFileSync(path, 'latin1').replaceAll(from, to), 'latin1'))
  return path
}

describe('an export', () => {
  it('is a folder', async () => {
    expect(await readAll(writeExportFolder(files))).toEqual(contents)
  })

  it('is a ZIP', async () => {
    expect(await readAll(await writeExportZip(files))).toEqual(contents)
  })

  it('can lie within one folder of the ZIP', async () => {
    const wrapped = Object.fromEntries(
      Object.entries(files).map(([name, content]) => [`acme/${name}`, content]),
    )
    const opened = await openExport(await writeExportZip(wrapped), limits)
    const found = findFolder(opened, ['channels.json', 'users.json'])!
    expect(Array.from(found.sizes.keys())).toEqual(Object.keys(contents))
    expect(Buffer.concat(await (await found.open('users.json')).toArray()).toString()).toBe('[]')
    expect(findFolder(opened, ['realm.json'])).toBeNull()
    found.close()
  })

  it('leaves out symbolic links, which can lead out of the folder', async () => {
    const folder = writeExportFolder(files)
    symlinkSync('/etc/hostname', join(folder, 'general', '2023-11-15.json'))
    symlinkSync('/etc', join(folder, 'etc'))
    expect(await readAll(folder)).toEqual(contents)
  })
})

describe('a file that is refused', () => {
  it('does not exist', async () => {
    await expect(openExport('/nothing/here.zip')).rejects.toThrow('There is no file /nothing/here.zip.')
  })

  it('is no ZIP', async () => {
    const folder = writeExportFolder({ 'a.zip': 'text' })
    await expect(openExport(join(folder, 'a.zip'))).rejects.toThrow('is neither a ZIP file nor a folder.')
  })

  it('has a path that leads out of its folder', async () => {
    const path = await writeZipWith('xx/secret', '../secret', { 'xx/secret': 'a' })
    await expect(openExport(path)).rejects.toThrow(/^The ZIP file is refused: invalid relative path: /)
  })

  it('has too many files', async () => {
    await expect(openExport(await writeExportZip(files), { ...limits, files: 2 })).rejects.toThrow(
      'The export has more than 2 files.',
    )
    await expect(openExport(writeExportFolder(files), { ...limits, files: 2 })).rejects.toThrow(
      'The export has more than 2 files.',
    )
  })

  it('becomes too large when it is unpacked', async () => {
    await expect(openExport(await writeExportZip(files), { ...limits, bytes: 10 })).rejects.toThrow(
      'is too large when it is unpacked.',
    )
  })

  it('has a file of a few bytes that become many', async () => {
    const { deflateRawSync } = await import('node:zlib')
    const path = join(writeExportFolder({}), 'bomb.zip')
    writeFileSync(path, zipOf('users.json', deflateRawSync(Buffer.alloc(2 ** 22)), 2 ** 22))
    await expect(openExport(path)).rejects.toThrow('users.json is too large when it is unpacked.')
  })

  it('has files that share their bytes', async () => {
    const path = join(writeExportFolder({}), 'overlap.zip')
    writeFileSync(path, zipOf('users.json', Buffer.alloc(1_000), 1_000, ['a', 'b', 'c'], 0))
    await expect(openExport(path)).rejects.toThrow('its files overlap.')
  })
})

/** A ZIP with one file, whose bytes other entries of the directory use too. */
function zipOf(name: string, packed: Buffer, size: number, more: string[] = [], method = 8): Buffer {
  const local = Buffer.alloc(30 + name.length)
  local.writeUInt32LE(0x04_03_4b_50)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(method, 8)
  local.writeUInt32LE(packed.length, 18)
  local.writeUInt32LE(size, 22)
  local.writeUInt16LE(name.length, 26)
  local.write(name, 30)
  const directory = [name, ...more].map((entry) => {
    const central = Buffer.alloc(46 + entry.length)
    central.writeUInt32LE(0x02_01_4b_50)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(packed.length, 20)
    central.writeUInt32LE(size, 24)
    central.writeUInt16LE(entry.length, 28)
    central.write(entry, 46)
    return central
  })
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06_05_4b_50)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(local.length + packed.length, 16)
  return Buffer.concat([local, packed, ...directory, end])
}
