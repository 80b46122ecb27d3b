// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { clearLocalData } from './clearLocalData.ts'

it('leaves the next person at this device its looks alone', () => {
  for (const key of [
    'look',
    'language',
    'settings',
    'last-channel',
    'emoji',
    'name',
    'here.somebody',
    'folded',
  ]) {
    localStorage.setItem(`linnet.${key}`, 'x')
  }
  localStorage.setItem('another app', 'x')
  sessionStorage.setItem('linnet.editing/somewhere', 'x')
  sessionStorage.setItem('linnet.reloaded', 'x')
  clearLocalData()
  expect(Object.keys(localStorage).sort()).toEqual([
    'another app',
    'linnet.language',
    'linnet.look',
    'linnet.settings',
  ])
  expect(Object.keys(sessionStorage)).toEqual(['linnet.reloaded'])
})
