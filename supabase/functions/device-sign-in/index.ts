// Signs in a device that has scanned the QR code of a signed-in device. Browsers without a session call it.
import { call, service } from '../_shared/service.ts'
import { respond } from './respond.ts'

Deno.serve((request) =>
  respond(request, {
    claim: (code, device) => call('claim_sign_in', { code, device }),
    take: async (claim) => (await call<{ email: string | null }>('take_sign_in', { claim })).email,
    async createToken(email) {
      const { data, error } = await service.auth.admin.generateLink({ type: 'magiclink', email })
      if (error) throw error
      return data.properties.hashed_token
    },
  }),
)
