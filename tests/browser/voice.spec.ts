import { expect, test } from '@playwright/test'
import { enterDemo, openChannel, person, phoneScreen } from './support.ts'
import { startDemo } from './startDemo.ts'

test.use({
  launchOptions: {
    executablePath: process.env.LINNET_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  },
})

test('a voice message is recorded, played before it is sent, and played by another person', async ({
  browser,
}) => {
  const { server, end } = await startDemo()
  const faults: string[] = []
  try {
    const ann = await person(browser, faults, { ...phoneScreen, serviceWorkers: 'allow' })
    const bea = await person(browser, faults, { serviceWorkers: 'allow' })
    await enterDemo(ann, server, 'ann')
    await enterDemo(bea, server, 'bea')
    for (const page of [ann, bea]) await openChannel(page, 'rota')

    await ann.getByRole('button', { name: 'Record a voice message' }).tap()
    const recorder = ann.getByRole('group', { name: 'Voice message', exact: true })
    await expect(recorder).toContainText('0:01')
    await recorder.getByRole('button', { name: 'Stop' }).tap()
    const own = recorder.getByRole('group', { name: 'Your recording' })
    await own.getByRole('button', { name: 'Play', exact: true }).tap()
    await expect(own.getByRole('button', { name: 'Pause' })).toBeVisible()
    await recorder.getByRole('button', { name: 'Send recording' }).tap()
    await expect(recorder).toHaveCount(0)

    const received = bea.getByRole('group', { name: /^Voice message from Ann/ })
    await expect(received).toBeVisible()
    // By keyboard alone.
    await received.getByRole('button', { name: 'Playback speed: 1×' }).press('Enter')
    await expect(received.getByRole('button', { name: 'Playback speed: 1.5×' })).toBeVisible()
    const position = received.getByRole('slider', { name: 'Playback position' })
    await position.press('End')
    const length = Number(await position.getAttribute('max'))
    expect(Number(await position.inputValue())).toBeCloseTo(length, 1)
    await position.press('ArrowLeft')
    expect(Number(await position.inputValue())).toBeLessThan(length)
    await position.press('Home')
    await received.getByRole('button', { name: 'Play', exact: true }).press('Enter')
    await expect(received.getByRole('button', { name: 'Pause' })).toBeVisible()
    const rateOf = (audio: object) => (audio as { playbackRate: number }).playbackRate
    expect(await received.locator('audio').evaluate(rateOf)).toBe(1.5)
    // It plays to its end.
    await expect(received.getByRole('button', { name: 'Play', exact: true })).toBeVisible()

    await ann.getByRole('button', { name: 'Record a voice message' }).tap()
    await expect(recorder.getByRole('button', { name: 'Stop' })).toBeVisible()
    await recorder.getByRole('button', { name: 'Cancel recording' }).tap()
    await expect(recorder).toHaveCount(0)
    expect(faults).toEqual([])
  } finally {
    await end()
  }
})
