import { createReadStream, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { makeZip } from 'client-zip'
import { generateSlackExport, type GeneratedExport } from './generateSlackExport.ts'

/** An export as `generateSlackExport` writes it, as a ZIP file. */
export async function generateSlackZip(o: GeneratedExport): Promise<Buffer> {
  const folder = await generateSlackExport(o)
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const entries = files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return { name: relative(folder, path), input: Readable.toWeb(createReadStream(path)) as ReadableStream }
    })
    return Buffer.from(await new Response(makeZip(entries)).arrayBuffer())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
