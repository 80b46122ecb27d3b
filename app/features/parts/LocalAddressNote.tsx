import { i18n } from '@lingui/core'
import { isLocalAddress, networkAddress } from '../../data/client/localAddress.ts'
import { useQuery } from '../../data/queries/useQuery.ts'
import { TextWithCommands } from './TextWithCommands.tsx'

/** Warns beside a link or QR code that other devices can't open it, because it contains the address of this computer. */
export function LocalAddressNote() {
  return isLocalAddress() ? <Note /> : null
}

function Note() {
  const { value: network, failure } = useQuery(networkAddress)
  if (network === undefined && failure) return null
  const address = location.host
  return (
    // Invisible until the address is known: what is below does not move then.
    <p role="note" style={network === undefined ? { visibility: 'hidden' } : undefined}>
      {i18n._(
        'Other devices can’t open links created here, because the address {address} works only on this computer.',
        {
          address,
        },
      )}{' '}
      {network ? (
        <>
          {i18n._('Open Linnet at this address instead, and create the link there:')}{' '}
          <a href={network} dir="ltr">
            {network}
          </a>
        </>
      ) : (
        <TextWithCommands
          text={i18n._(
            'First give the server an address that they can open: start it with --host 0.0.0.0 for your network, or set a public address.',
          )}
        />
      )}
    </p>
  )
}
