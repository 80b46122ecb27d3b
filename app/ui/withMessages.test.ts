import { i18n } from '@lingui/core'
import { expect, it } from 'vitest'
import { setRestLoader, withMessages } from './withMessages.ts'

it('an import with messages of its own ends once they are loaded, and fails with them', async () => {
  i18n.loadAndActivate({ locale: 'de', locales: ['de'], messages: { First: ['Zuerst'] } })
  const loaded = withMessages(Promise.resolve('module'))
  let isOffline = false
  setRestLoader(() =>
    isOffline ? Promise.reject(new Error('offline')) : Promise.resolve({ messages: { Later: ['Später'] } }),
  )
  expect(await loaded).toBe('module')
  expect([i18n._('First'), i18n._('Later')]).toEqual(['Zuerst', 'Später'])
  isOffline = true
  await expect(withMessages(Promise.resolve('module'))).rejects.toThrow('offline')
})
