import { expect, type Locator } from '@playwright/test'
import { enterDemo, openChannel, person, phoneScreen } from './support.ts'
import { test } from './sharedServer.ts'

/** Waits until a part of the recording was played, which may have ended already. */
const hasPlayed = (player: Locator): Promise<void> =>
  expect
    .poll(() =>
      player
        .locator('audio')
        .evaluate((audio) => (audio as unknown as { played: { length: number } }).played.length),
    )
    .toBeGreaterThan(0)

test('a voice message is recorded, played before it is sent, and played by another person', async ({
  browser,
  demo,
}) => {
  const faults: string[] = []
  const ann = await person(browser, faults, { ...phoneScreen, serviceWorkers: 'allow' })
  const bea = await person(browser, faults, { serviceWorkers: 'allow' })
  await enterDemo(ann, demo, 'ann')
  await enterDemo(bea, demo, 'bea')
  for (const page of [ann, bea]) await openChannel(page, 'rota')

  await ann.getByRole('button', { name: 'Record a voice message' }).tap()
  const recorder = ann.getByRole('group', { name: 'Voice message', exact: true })
  // At least a second of it.
  await expect(recorder).toContainText(/\d:(?:0[1-9]|[1-5]\d)/)
  await recorder.getByRole('button', { name: 'Stop' }).tap()
  const own = recorder.getByRole('group', { name: 'Your recording' })
  // One button sends, and it is at the end.
  const send = recorder.getByRole('button', { name: 'Send recording' })
  await expect(ann.getByRole('button', { name: 'Send', exact: true })).toBeHidden()
  const endOf = async (one: Locator) => {
    const { x, width } = (await one.boundingBox())!
    return Math.round(x + width)
  }
  expect(await endOf(send)).toBe(await endOf(recorder))
  await own.getByRole('button', { name: 'Play', exact: true }).tap()
  await hasPlayed(own)
  await send.tap()
  await expect(recorder).toHaveCount(0)

  const received = bea.getByRole('group', { name: /^Voice message from Ann/ })
  await expect(received).toBeVisible()
  // By keyboard alone.
  await received.getByRole('button', { name: 'Playback speed: 1×' }).press('Enter')
  await expect(received.getByRole('button', { name: 'Playback speed: 1.5×' })).toBeVisible()
  const position = received.getByRole('slider', { name: 'Playback position' })
  await position.press('End')
  const secondsOf = async () => Number(await position.inputValue())
  await expect.poll(secondsOf).toBeGreaterThan(0)
  const atEnd = await secondsOf()
  await position.press('ArrowLeft')
  await expect.poll(secondsOf).toBeLessThan(atEnd)
  await position.press('Home')
  await received.getByRole('button', { name: 'Play', exact: true }).press('Enter')
  await hasPlayed(received)
  const rateOf = (audio: object) => (audio as { playbackRate: number }).playbackRate
  expect(await received.locator('audio').evaluate(rateOf)).toBe(1.5)
  // It plays to its end.
  await expect(received.getByRole('button', { name: 'Play', exact: true })).toBeVisible()

  await ann.getByRole('button', { name: 'Record a voice message' }).tap()
  await expect(recorder.getByRole('button', { name: 'Stop' })).toBeVisible()
  await recorder.getByRole('button', { name: 'Cancel recording' }).tap()
  await expect(recorder).toHaveCount(0)
  expect(faults).toEqual([])
})
