import { expect, it } from 'vitest'
import { signOAuth1 } from './oauth1.ts'

it('signs as the example of OAuth Core 1.0, appendix A.5', () => {
  const url = 'http://photos.example.net/photos?size=original&file=vacation.jpg'
  const keys = {
    key: 'dpf43f3p2l4k3l03',
    secret: 'kd94hf93k423kf44',
    token: 'nnch734d00sl2jdk',
    tokenSecret: 'pfkkdhi9sl3r4s00',
  }
  const header = signOAuth1({ method: 'GET', url, keys }, 'kllo9940pd9333jh', 1_191_242_096)
  expect(header).toContain('oauth_signature="tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D"')
})
