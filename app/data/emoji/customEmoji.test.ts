import { expect, it, vi } from 'vitest'

const workspace = { id: 'workspace', name: 'Harbour Street', emoji_version: 1 }
const responses: ((names: string[]) => void)[] = []

vi.mock('../session/clientSession.ts', () => ({
  getClientSession: () => ({ store: { get: () => ({ workspace }) } }),
  sessionEmitter: { emit: () => {} },
}))
vi.mock('../client/getClient.ts', () => {
  const query = {
    select: () => query,
    eq: () => query,
    order: () => query,
    limit: () =>
      new Promise((resolve) => {
        responses.push((names) =>
          resolve({ data: names.map((name) => ({ name, aliases: [] })), error: null }),
        )
      }),
  }
  return { getClient: async () => ({ rest: { from: () => query } }) }
})

const { readCustomEmoji } = await import('./customEmoji.ts')

it('a slow response of an earlier version does not replace the emoji of a later one', async () => {
  const first = readCustomEmoji()
  await vi.waitFor(() => expect(responses).toHaveLength(1))
  workspace.emoji_version = 2
  const second = readCustomEmoji()
  await vi.waitFor(() => expect(responses).toHaveLength(2))
  responses[1]!([])
  await second
  responses[0]!(['ferris'])
  await first
  expect(await readCustomEmoji()).toEqual([])
})
