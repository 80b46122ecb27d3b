import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { securityHeaders } from '../../../backend/gateway/securityHeaders.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const read = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')

it('docs/hosted.md lists the headers of the application', () => {
  const headers = securityHeaders('https://chat.example.org', 'https://ref.supabase.co')
  const page = read('hosted.md').toLowerCase().replaceAll('<ref>', 'ref')
  for (const [name, value] of Object.entries(headers)) {
    // Once for Caddy and once for nginx.
    const matchingLines = page
      .split('\n')
      .filter((line) => line.replace('add_header ', '').trim().startsWith(`${name} `))
    expect([name, matchingLines.length]).toEqual([name, 2])
    for (const line of matchingLines) expect(line).toContain(value.toLowerCase())
  }
})
