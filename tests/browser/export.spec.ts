import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from '@playwright/test'
import { test } from './sharedServer.ts'
import { enterDemo, person } from './support.ts'

interface Manifest {
  profile_id: string
  counts: Record<string, number>
  files: { path: string; bytes: number; sha256: string }[]
}

/** The files of a ZIP archive without compression, by the directory at its end. */
function readArchive(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'))
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)]
    const extra = zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
    const header = zip.readUInt32LE(at + 42)
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
    files.set(zip.toString('utf8', at + 46, at + 46 + nameLength), zip.subarray(start, start + size))
    at += 46 + nameLength + extra
  }
  return files
}

test('an export has what the database has, and opens without a server; it goes on after a failure', async ({
  browser,
  demo,
}) => {
  const { server } = demo
  const dir = mkdtempSync(join(tmpdir(), 'linnet-export-'))
  try {
    const page = await person(browser, [], { viewport: { width: 390, height: 844 } })
    await enterDemo(page, demo, 'ann', '/settings/export')
    let failures = 1
    await page.route('**/rest/v1/messages?**', (route) => {
      failures -= 1
      return failures >= 0 ? route.abort() : route.continue()
    })
    await page.getByRole('button', { name: 'Export your data' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert').filter({ hasText: 'Nothing is lost' })).toBeVisible()
    await page.screenshot({ path: test.info().outputPath('export.png') })
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Continue' }).focus()
    await page.keyboard.press('Enter')
    const zip = readFileSync(await (await downloading).path())
    await expect(page.getByText('Your export is in your downloads.')).toBeVisible()

    const files = readArchive(zip)
    const manifest = JSON.parse(files.get('manifest.json')!.toString()) as Manifest
    expect([...files.keys()].filter((name) => name !== 'manifest.json').toSorted()).toEqual(
      manifest.files.map(({ path }) => path).toSorted(),
    )
    for (const { path, bytes, sha256 } of manifest.files) {
      const content = files.get(path)!
      expect([path, content.length]).toEqual([path, bytes])
      expect([path, createHash('sha256').update(content).digest('hex')]).toEqual([path, sha256])
    }
    const countOf = async (query: string): Promise<number> => {
      const response = await fetch(`${server.url}/rest/v1/${query}&limit=1`, {
        headers: {
          apikey: server.secretKey,
          authorization: `Bearer ${server.secretKey}`,
          prefer: 'count=exact',
        },
      })
      return Number(response.headers.get('content-range')!.split('/')[1])
    }
    const me = manifest.profile_id
    expect(manifest.counts['messages']).toBe(await countOf(`messages?author_id=eq.${me}&select=id`))
    expect(manifest.counts['messages']).toBeGreaterThan(10)
    for (const table of ['drafts', 'saved_messages', 'reminders', 'reactions']) {
      expect([table, manifest.counts[table]]).toEqual([
        table,
        await countOf(`${table}?profile_id=eq.${me}&select=*`),
      ])
    }
    expect(manifest.counts['files']).toBe(
      await countOf(`attachments?select=upload_id,messages!inner(author_id)&messages.author_id=eq.${me}`),
    )

    // Messages of other people are beside the own ones.
    const pages = [...files].filter(([name]) => /^messages\/.*\.html$/.test(name))
    expect(pages.some(([, page]) => page.includes('<span class="tag">context</span>'))).toBe(true)
    const stored = [...files.keys()].filter((name) => name.startsWith('files/'))
    expect(stored.length).toBeGreaterThan(0)
    for (const name of stored) expect(name).toMatch(/^files\/[^/]+\.\w+$/)

    for (const [name, content] of files) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), content)
    }
    const reader = await (await browser.newContext({ offline: true })).newPage()
    const requested: string[] = []
    reader.on('request', (request) => requested.push(request.url()))
    await reader.goto(pathToFileURL(join(dir, 'index.html')).href)
    await reader.getByRole('link', { name: /^#/ }).first().click()
    await expect(reader.getByRole('article').first()).toBeVisible()
    await expect(reader.locator('article:not(.context)').first()).toContainText('Ann')
    await reader.screenshot({ path: test.info().outputPath('page.png') })
    expect(requested.filter((url) => !url.startsWith('file:'))).toEqual([])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
