import type { TestTransaction } from './fixture.ts'

/** As postgres: rate limits refill one request each 100 minutes, so that a busy machine reaches them as fast as any. */
export async function slowDownRefill(s: TestTransaction): Promise<void> {
  await s.rows(`update public.settings set value = (
      select jsonb_object_agg(l.key, l.value || '{"per_minute": 0.01}') from jsonb_each(value) l)
    where key = 'rate_limits'`)
}
