/** Ends TLS for a server on loopback, as a proxy before it does: `tls-front.mjs KEY CERT PORT`, listens on 443 and says so. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createServer } from 'node:tls';

const [key, cert, port] = process.argv.slice(2);
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (near) => {
  const far = connect(Number(port), '127.0.0.1');
  near.on('error', () => far.destroy()).on('close', () => far.destroy()).pipe(far);
  far.on('error', () => near.destroy()).on('close', () => near.destroy()).pipe(near);
});
server.on('tlsClientError', () => undefined);
server.listen(443, '0.0.0.0', () => process.stdout.write('listening\n'));
