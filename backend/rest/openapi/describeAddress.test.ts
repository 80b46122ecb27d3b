import { expect, it } from 'vitest'
import { describeAddress } from './describeAddress.ts'

const asked = 'http://127.0.0.1:4280/rest/v1/?select=id'

it('is the address that was asked', () => {
  const here = { host: '127.0.0.1:4280', basePath: '/rest/v1', schemes: ['http'] }
  expect(describeAddress(null, asked)).toEqual(here)
  expect(describeAddress(null, 'http://127.0.0.1:4280/rest/v1')).toEqual(here)
  expect(describeAddress(null, 'https://[::1]/')).toEqual({
    host: '[::1]:443',
    basePath: '/',
    schemes: ['https'],
  })
})

it('is the one of the settings, where that is an address', () => {
  expect(describeAddress('http://nest.example/', asked)).toEqual({
    host: 'nest.example:80',
    basePath: '/',
    schemes: ['http'],
  })
  for (const malformed of [
    'nest.example',
    '/api',
    'ftp://nest.example',
    'http://a:b@nest.example',
    'http://x/?y',
  ]) {
    expect(describeAddress(malformed, asked).host).toBe('127.0.0.1:4280')
  }
})
