/** Why no connection by TLS comes about, where waiting does not help: what the other side has or lacks, and what whoever runs the App does about it. Pure. */

export interface Address {
  /** The variable that holds it. */
  readonly variable: string;
  /** Who has to trust its authority, after the name of what Node trusts by. */
  readonly trusting: string;
}

export interface TlsTrouble {
  /** As Node calls it. */
  readonly isCode: RegExp;
  /** Of the other side, after its name. */
  readonly says: string;
  readonly remedy: (address: Address) => string;
}

/** OpenSSL's own text names files of its source, so that a sentence of ours stands for it. The first that fits is told. */
export const TLS_TROUBLES: readonly TlsTrouble[] = [
  {
    isCode:
      /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?)$/,
    says: 'has a certificate by an authority that the App does not trust',
    remedy: ({ trusting }) =>
      `Set NODE_EXTRA_CA_CERTS to the file of that authority (a self-signed certificate is its own), ${trusting}.`,
  },
  {
    isCode: /^CERT_HAS_EXPIRED$/,
    says: 'has a certificate that has expired',
    remedy: () => 'Renew that certificate.',
  },
  {
    isCode: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    says: 'has a certificate for another name',
    remedy: ({ variable }) => `Use the name that is in the certificate in ${variable}, or have one made for this name.`,
  },
  {
    // What a server that speaks plain HTTP answers to a greeting is read as a record of TLS.
    isCode: /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    says: 'speaks no TLS',
    remedy: ({ variable }) => `Correct ${variable}: begin it with http://, or name the port that speaks TLS.`,
  },
  {
    isCode: /^ERR_SSL_/,
    says: 'agrees with the App on no TLS',
    remedy: ({ variable }) => `Correct ${variable}, or have the other side speak TLS 1.2 or 1.3.`,
  },
];
