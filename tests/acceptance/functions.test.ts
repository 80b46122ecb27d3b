import { beforeAll, expect, it } from 'vitest'
import { describeWithFunction, target, tokenOf, usePeople, type Person } from './target.ts'

const people = usePeople()
let bea: Person

beforeAll(async () => {
  bea = await people.signUp()
})

describeWithFunction('a function', () => {
  it('receives method, query, headers and body', async () => {
    const { data, error } = await bea.client.functions.invoke('acceptance-echo?page=2', {
      body: { hello: 'world' },
      headers: { 'x-acceptance': 'yes' },
    })
    expect(error).toBeNull()
    expect(data).toEqual({ method: 'POST', query: { page: '2' }, body: '{"hello":"world"}', header: 'yes' })
  })

  it('chooses the status', async () => {
    const response = await fetch(`${target.url}/functions/v1/acceptance-echo/teapot`, {
      headers: { apikey: target.anonKey, authorization: `Bearer ${await tokenOf(bea.client)}` },
    })
    expect([response.status, await response.text()]).toEqual([418, 'short and stout'])
  })

  it('a function is not called without a valid token', async () => {
    const response = await fetch(`${target.url}/functions/v1/acceptance-echo`, {
      headers: { apikey: target.anonKey, authorization: 'Bearer nonsense' },
    })
    expect(response.status).toBe(401)
  })

  it('that is unknown responds with 404', async () => {
    const { error } = await bea.client.functions.invoke('acceptance-nothing')
    expect((error.context as Response).status).toBe(404)
  })
})
