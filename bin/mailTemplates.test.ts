import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mailTemplates } from './mailTemplates.ts'

it.each(Object.entries(mailTemplates))(
  'supabase/templates/%s.html is what the layout renders',
  (name, html) => {
    expect(readFileSync(join(import.meta.dirname, '../supabase/templates', `${name}.html`), 'utf8')).toBe(
      html,
    )
  },
)
