import { afterEach, expect, it, vi } from 'vitest'
import { openArchiveProject } from './archiveProject.ts'
import { UsageError } from './Command.ts'

afterEach(() => vi.unstubAllEnvs())

it('the address of a pooler in transaction mode is refused before anything connects', async () => {
  vi.stubEnv('LINNET_SECRET_KEY', 'sb_secret_key')
  for (const host of ['aws-0-eu-central-1.pooler.supabase.com', 'db.abc.supabase.co'])
    await expect(
      openArchiveProject('', {
        url: 'https://abc.supabase.co',
        'db-url': `postgresql://postgres.abc:secret@${host}:6543/postgres`,
      }),
    ).rejects.toThrow(
      new UsageError(
        'The connection string leads to a pooler in transaction mode, which has no sessions. Use port 5432 instead of 6543.',
      ),
    )
})
