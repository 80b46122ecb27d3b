import { expect, it } from 'vitest'
import { describeUrl } from './describeUrl.ts'

const requestedUrl = 'http://127.0.0.1:4280/rest/v1/?select=id'

it('uses the URL of the request', () => {
  const here = { host: '127.0.0.1:4280', basePath: '/rest/v1', schemes: ['http'] }
  expect(describeUrl(null, requestedUrl)).toEqual(here)
  expect(describeUrl(null, 'http://127.0.0.1:4280/rest/v1')).toEqual(here)
  expect(describeUrl(null, 'https://[::1]/')).toEqual({
    host: '[::1]:443',
    basePath: '/',
    schemes: ['https'],
  })
})

it('uses the URL of the settings if it is valid', () => {
  expect(describeUrl('http://nest.example/', requestedUrl)).toEqual({
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
    expect(describeUrl(malformed, requestedUrl).host).toBe('127.0.0.1:4280')
  }
})
