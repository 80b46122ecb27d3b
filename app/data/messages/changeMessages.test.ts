import { afterEach, expect, it } from 'vitest'
import { LOBBY, buildMessage } from '../store/buildRows.fixture.ts'
import { createStore } from '../store/store.ts'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import type { MutationInput } from '../mutations/mutation.ts'
import type { OutboxItem } from '../mutations/outbox.ts'
import { editMessage } from './changeMessages.ts'

afterEach(() => setClientSession(null))

/** The mutation that an edit of this message puts into an outbox with these items; no message is loaded. */
async function mutationOfEdit(id: string, items: Partial<OutboxItem>[]): Promise<MutationInput | undefined> {
  const mutations: MutationInput[] = []
  const outbox = { items: () => items, put: async (mutation: MutationInput) => void mutations.push(mutation) }
  setClientSession({ store: createStore(), outbox } as unknown as ClientSession)
  await editMessage(id, 'The tide is at nine.')
  return mutations[0]
}

it('an edit of a message that is not loaded is not shown in its channel when it is rejected', async () => {
  const { id } = buildMessage(1)
  expect(await mutationOfEdit(id, [])).toMatchObject({ kind: 'edit', message: id, alsoToChannel: false })
})

it('an edit of a pending reply is shown in the channel if the reply is', async () => {
  const reply = { id: 'reply', channel: LOBBY, threadRoot: buildMessage(1).id }
  for (const alsoToChannel of [true, false])
    expect(await mutationOfEdit('reply', [{ ...reply, alsoToChannel }])).toMatchObject({
      threadRoot: reply.threadRoot,
      alsoToChannel,
    })
})
