/** Parameters of a request to a provider that this service sets itself. */
export const ownParameters = [
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
] as const
