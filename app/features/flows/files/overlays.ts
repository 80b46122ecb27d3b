/** The viewer of a file that an address names. */
export const fileOverlays = {
  file: () => import('./AddressedFile.tsx'),
}
